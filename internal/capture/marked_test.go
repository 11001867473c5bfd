package capture

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// marked captures a direction with markers, written at once, and returns how many
// FPDUs it has.
func marked(t *testing.T) (f *File, fpdus int) {
	t.Helper()
	f, _ = start(t, Config{})
	fl := f.Flow(tcp(here4), tcp(there4), false)
	fl.Received(request(true))
	send(fl, reply())
	var all []byte
	for range 5 {
		for _, v := range iwarptest.FPDUs() {
			if !v.NoCRC {
				all = iwarp.AppendMarked(all, uint64(len(all)), v.Wire, true)
				fpdus++
			}
		}
	}
	send(fl, all)
	fl.Close()
	must(t, f.Close())
	return f, fpdus
}

// TestMarkedByThemselves: with markers each packet is one FPDU.
func TestMarkedByThemselves(t *testing.T) {
	f, fpdus := marked(t)
	n, offset := 0, uint64(0)
	for i, p := range capturetest.ReadFile(t, f.Name()) {
		if p.From != here4 || i < 5 || len(p.TCP.Payload) == 0 {
			continue
		}
		_, used, need, err := iwarp.ParseMarked(nil, p.TCP.Payload, offset, true)
		if err != nil || used != len(p.TCP.Payload) {
			t.Fatalf("packet %d: %v, %d bytes of %d, %d short", i+1, err, used, len(p.TCP.Payload), need)
		}
		offset += uint64(used)
		n++
	}
	if n != fpdus {
		t.Errorf("%d FPDUs, want %d", n, fpdus)
	}
}

func TestTsharkUnderstandsMarkers(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here (Debian: apt-get install tshark): ", err)
	}
	f, fpdus := marked(t)
	out, err := exec.CommandContext(t.Context(), "tshark", "-n", "-V", "-r", f.Name(), "-o", "tcp.try_heuristic_first:TRUE",
		"--disable-protocol", "rpcordma", "--disable-protocol", "smb_direct").Output()
	must(t, err)
	text := string(out)
	if good := strings.Count(text, "(Good CRC32)"); good != fpdus || strings.Contains(text, "alformed") || !strings.Contains(text, "Markers") {
		t.Errorf("%d good CRCs of %d, or malformed, or no markers", good, fpdus)
	}
}
