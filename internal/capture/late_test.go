package capture

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
)

// inPieces captures a stream whose bytes come in pieces of that size, and returns them and how many FPDUs there are.
func inPieces(t *testing.T, size int) (f *File, its []byte, fpdus int) {
	t.Helper()
	f, _ = start(t, Config{})
	fl := f.Flow(tcp(here4), tcp(there4), false)
	hear := func(b []byte) {
		its = append(its, b...)
		for len(b) > 0 {
			n := min(size, len(b))
			fl.Received(b[:n])
			b = b[n:]
		}
	}
	hear(request(false))
	send(fl, reply())
	r := rng()
	var all []byte
	for range 20 {
		b := fpdu(r, 18+r.IntN(60))
		b[2], b[3] = 0xc1, 0x40 // a Write
		all = append(all, b...)
		fpdus++
	}
	hear(all)
	fl.Close()
	must(t, f.Close())
	return f, its, fpdus
}

var pieceSizes = []int{1, 2, 7, 19, 21, 37, 1000}

// TestBeginningsWait: however the bytes come, a packet has all of a start-up frame, and as much of an FPDU that begins in
// it as the shortest one. Nothing is lost.
func TestBeginningsWait(t *testing.T) {
	for _, size := range pieceSizes {
		f, its, _ := inPieces(t, size)
		var s framing
		packets := capturetest.ReadFile(t, f.Name())
		for i, p := range packets {
			b := p.TCP.Payload
			if p.From != there4 || len(b) == 0 {
				continue
			}
			if n := s.late(b); n > 0 {
				t.Errorf("pieces of %d: packet %d ends with %d bytes of what begins", size, i+1, n)
			}
			for len(b) > 0 {
				n, _ := s.step(b)
				b = b[n:]
			}
		}
		if got := only(t, packets).Streams[there4]; !bytes.Equal(got, its) {
			t.Errorf("pieces of %d: %d bytes of %d", size, len(got), len(its))
		}
	}
}

// TestWhatWaitsIsRecorded, when nothing comes next: at the end of its direction, a reset, and the end of the stream.
func TestWhatWaitsIsRecorded(t *testing.T) {
	for name, end := range map[string]func(fl *Flow){
		"the peer's end": func(fl *Flow) { fl.ReceivedEnd(false) },
		"a reset":        func(fl *Flow) { fl.ReceivedEnd(true) },
		"our end":        func(fl *Flow) { fl.SentEnd() },
		"neither":        func(*Flow) {},
	} {
		f, _ := start(t, Config{})
		fl := f.Flow(tcp(here4), tcp(there4), false)
		fl.Received(append(request(false), 0, 30))
		send(fl, reply()[:7])
		end(fl)
		fl.Close()
		must(t, f.Close())
		c := only(t, capturetest.ReadFile(t, f.Name()))
		if its, mine := c.Streams[there4], c.Streams[here4]; !bytes.Equal(its, append(request(false), 0, 30)) || !bytes.Equal(mine, reply()[:7]) {
			t.Errorf("%s: %x and %x", name, its, mine)
		}
	}
}

// TestTsharkUnderstandsPieces: each FPDU, however its bytes have come.
func TestTsharkUnderstandsPieces(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here (Debian: apt-get install tshark): ", err)
	}
	for _, size := range pieceSizes {
		f, _, fpdus := inPieces(t, size)
		out, err := exec.Command("tshark", "-n", "-r", f.Name(), "--disable-protocol", "rpcordma", "--disable-protocol", "smb_direct",
			"-T", "fields", "-E", "occurrence=a", "-e", "iwarp_mpa.ulpdulength").Output()
		must(t, err)
		if n := len(strings.FieldsFunc(string(out), func(c rune) bool { return c == ',' || c == '\n' })); n != fpdus {
			t.Errorf("pieces of %d: tshark understands %d FPDUs of %d", size, n, fpdus)
		}
	}
}
