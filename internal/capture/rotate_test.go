package capture

import (
	"bytes"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
)

// rotation feeds a few connections until several files are full, and keeps their data.
type rotation struct {
	t       *testing.T
	f       *File
	dir     string
	streams map[netip.AddrPort][]byte
}

func rotate(t *testing.T, cfg Config, markers bool) *rotation {
	t.Helper()
	g := &rotation{t: t, streams: map[netip.AddrPort][]byte{}}
	g.f, g.dir = start(t, cfg)
	r := rng()
	type one struct {
		fl         *Flow
		here       netip.AddrPort
		there      netip.AddrPort
		open, back []byte // of FPDUs that are not whole yet
	}
	var all []*one
	for i := range 3 {
		o := &one{here: netip.AddrPortFrom(here4.Addr(), uint16(1000+i)), there: netip.AddrPortFrom(there4.Addr(), uint16(2000+i))}
		o.fl = g.f.Flow(tcp(o.here), tcp(o.there), i != 1)
		all = append(all, o)
		first, second := request(markers), reply()
		if i == 1 {
			first, second = second, first
			g.hear(o.fl, o.there, second)
			g.say(o.fl, o.here, first)
			continue
		}
		g.say(o.fl, o.here, first)
		g.hear(o.fl, o.there, second)
	}
	for range 1200 {
		o := all[r.IntN(len(all))]
		if len(o.open) == 0 {
			o.open = fpdu(r, 1+r.IntN(65000))
		}
		if len(o.back) == 0 {
			o.back = fpdu(r, 1+r.IntN(30000))
		}
		n, m := len(o.open), len(o.back)
		if r.IntN(2) == 0 {
			n, m = 1+r.IntN(n), 1+r.IntN(m)
		}
		g.say(o.fl, o.here, o.open[:n])
		g.hear(o.fl, o.there, o.back[:m])
		o.open, o.back = o.open[n:], o.back[m:]
	}
	for _, o := range all {
		g.say(o.fl, o.here, o.open)
		o.fl.SentEnd()
		g.hear(o.fl, o.there, o.back)
		o.fl.ReceivedEnd(false)
		o.fl.Close()
	}
	must(t, g.f.Close())
	return g
}

func (g *rotation) say(fl *Flow, from netip.AddrPort, b []byte) {
	if len(b) > 0 {
		send(fl, b)
		g.streams[from] = append(g.streams[from], b...)
	}
}

func (g *rotation) hear(fl *Flow, from netip.AddrPort, b []byte) {
	if len(b) > 0 {
		fl.Received(b)
		g.streams[from] = append(g.streams[from], b...)
	}
}

// TestEveryFileByItself: each of several files can be parsed from its own start,
// and together they have everything once.
func TestEveryFileByItself(t *testing.T) {
	g := rotate(t, Config{FileSize: MinFileSize, Files: 100}, false)
	names := capturetest.Files(t, g.dir)
	if len(names) < 5 {
		t.Fatalf("only %d files", len(names))
	}
	fresh := map[netip.AddrPort][]byte{}
	repeats := 0
	for i, name := range names {
		info, err := os.Stat(name)
		must(t, err)
		if info.Size() > MinFileSize || info.Size() < MinFileSize/2 && i < len(names)-1 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
		packets := capturetest.ReadFile(t, name)
		for _, p := range packets {
			if p.Again() {
				repeats++
			}
		}
		for _, c := range capturetest.Follow(t, packets) {
			if strings.Contains(c.Comment, "earlier file") != (i > 0) {
				t.Errorf("%s: comment %q", name, c.Comment)
			}
			for from, stream := range c.Streams {
				fresh[from] = append(fresh[from], c.Fresh[from]...)
				frame, _, _, err := startFrame(stream)
				if err != nil {
					t.Fatalf("%s, from %v: %v", name, from, err)
				}
				wholeButLast(t, stream[frame:], c.Ended[from])
			}
		}
	}
	if repeats == 0 {
		t.Error("nothing had to be repeated: the test is worth nothing")
	}
	for from, want := range g.streams {
		if !bytes.Equal(fresh[from], want) {
			t.Errorf("from %v: the files have other bytes than the stream", from)
		}
	}
}

// wholeButLast parses the FPDUs of a stream, the last of which may be cut off if
// the stream has not ended.
func wholeButLast(t *testing.T, b []byte, ended bool) {
	t.Helper()
	var s framing
	s.phase = fpdus
	last := s.border(b)
	whole(t, b[:last], 0)
	if ended && last != len(b) {
		t.Errorf("%d bytes are no FPDU", len(b)-last)
	}
}

// TestOldFilesGo: as many as asked for are kept, the latest.
func TestOldFilesGo(t *testing.T) {
	g := rotate(t, Config{FileSize: MinFileSize, Files: 2}, false)
	names := capturetest.Files(t, g.dir)
	if len(names) != 2 || strings.Contains(names[0], "_00001_") {
		t.Errorf("files %v", names)
	}
	for _, name := range names {
		for _, c := range capturetest.Follow(t, capturetest.ReadFile(t, name)) {
			for from, want := range g.streams {
				if c.Ended[from] && !bytes.HasSuffix(want, c.Streams[from][len(c.Streams[from])-1000:]) {
					t.Errorf("from %v: not the end of the stream", from)
				}
			}
		}
	}
}

// TestMarkersAreNotRepeated: marker positions depend on the missing data, so such a
// direction continues as bytes only.
func TestMarkersAreNotRepeated(t *testing.T) {
	g := rotate(t, Config{FileSize: MinFileSize, Files: 100}, true)
	fresh := map[netip.AddrPort][]byte{}
	for i, name := range capturetest.Files(t, g.dir) {
		packets := capturetest.ReadFile(t, name)
		for _, p := range packets {
			if i > 0 && p.Again() {
				t.Errorf("%s repeats something", name)
			}
		}
		for _, c := range capturetest.Follow(t, packets) {
			for from := range c.Fresh {
				fresh[from] = append(fresh[from], c.Fresh[from]...)
			}
		}
	}
	for from, want := range g.streams {
		if !bytes.Equal(fresh[from], want) {
			t.Errorf("from %v: the files have other bytes than the stream", from)
		}
	}
}
