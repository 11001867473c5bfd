package captured_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// TestCapturedStreamsTellOfInput: a socket tells that its peer has sent something also if it is captured. The ends of
// other connections wait for the accept of such a peer.
func TestCapturedStreamsTellOfInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells whether a socket has bytes")
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	file, err := capture.Open(capture.Config{Path: filepath.Join(t.TempDir(), "x")})
	ok(err)
	defer file.Close()
	f := captured.Fabric(wire.TCP{}, file)
	ln, err := f.Listen(t.Context(), "127.0.0.1:0")
	ok(err)
	defer ln.Close()
	there, err := f.Dial(t.Context(), ln.Addr().String())
	ok(err)
	defer there.Close()
	here, err := ln.Accept()
	ok(err)
	defer here.Close()
	_, err = there.Write([]byte("x"))
	ok(err)
	came := false
	progress.AwaitInput(here, func() { came = true })
	if !came || !progress.HasInput(here) {
		t.Errorf("the wait for the byte has found it: %t. It is there: %t", came, progress.HasInput(here))
	}
	var one [1]byte
	if _, err := here.Read(one[:]); err != nil || one[0] != 'x' || progress.HasInput(here) {
		t.Errorf("%q, %v", one, err)
	}
}
