package integration_test

import (
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/rdma"
)

// TestCaptureOfBothEnds: an adapter that connects to itself has both ends in its capture, and tshark tells them apart.
func TestCaptureOfBothEnds(t *testing.T) {
	needTshark(t)
	dir := t.TempDir()
	a := made(rdma.Open(within(t), "soft-tcp", rdma.OpenConfig{ReceiveWait: patience, Capture: rdma.Capture{Path: filepath.Join(dir, "x")}}))(t)
	everyOperation(t, newSide(t, a, 1<<20), newSide(t, a, 1<<20), "127.0.0.1:0")
	must(t, a.Close())
	file := capturetest.Files(t, dir)[0]
	nothingWrong(t, file)
	all := capturetest.Follow(t, capturetest.ReadFile(t, file))
	for ends, c := range all {
		for _, from := range ends {
			if len(c.Streams[from]) < 1000 || !c.Ended[from] {
				t.Errorf("%d bytes from %v, ended %t", len(c.Streams[from]), from, c.Ended[from])
			}
		}
	}
	if n := len(numbered(t, file)); len(all) != 2 || n != 2 {
		t.Errorf("%d connections, and tshark has %d", len(all), n)
	}
}
