package stream

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// dripWire delivers a stream in pieces, one in each run.
type dripWire struct {
	deafWire
	stream []byte
	each   int
	dry    bool // nothing more in this run
}

func (w *dripWire) Read(p []byte) (int, error) {
	if w.dry || len(w.stream) == 0 {
		return 0, wire.ErrAgain
	}
	n := copy(p, w.stream[:min(w.each, len(w.stream))])
	w.stream = w.stream[n:]
	w.dry = true
	return n, nil
}

// drip makes a connection to which a write of size bytes arrives in pieces.
func drip(t *testing.T, size, each int) (f *fed, w *dripWire, mem []byte, frame int) {
	t.Helper()
	f = feed(t, stalled(t), nil, 0, 0)
	mem = make([]byte, size)
	mr, err := f.c.q.PD.Register(hca.Memory{Bytes: mem}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, size)
	for i := range payload {
		payload[i] = byte(i*31) ^ 0x5a
	}
	w = &dripWire{each: each}
	w.stream = iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: iwarp.STag(mr.RKey()), TO: iwarp.TO(mr.Addr())}, payload, true)
	f.c.w = w
	return f, w, mem, len(w.stream)
}

// TestADribblingFrameIsKeptWhereItIs: an FPDU of 64 KiB that arrives in small pieces is moved only a few times,
// and takes little more memory than it has bytes.
func TestADribblingFrameIsKeptWhereItIs(t *testing.T) {
	for _, each := range []int{1, 7, 64, 1000, 5000} {
		f, w, mem, frame := drip(t, 64<<10-64, each)
		in := &f.c.in
		moved, made, large := 0, 0, 0
		var at *byte
		for turn := 0; len(w.stream) > 0; turn++ {
			w.dry = false
			if f.c.Run() {
				t.Fatalf("pieces of %d: there is more", each)
			}
			if len(w.stream) == 0 {
				break
			}
			if in.big != nil {
				large++ // for a second at most, if it began with a large piece
				continue
			}
			if len(in.rest) != frame-len(w.stream) {
				t.Fatalf("pieces of %d: %d bytes are kept of %d", each, len(in.rest), frame-len(w.stream))
			}
			if now := &in.rest[0]; now != at {
				at = now
				moved += len(in.rest)
				made += cap(in.rest)
			}
			if c := cap(in.rest); c > max(len(in.rest)+len(in.rest)/2, smallRest) {
				t.Fatalf("pieces of %d: %d bytes are kept in %d", each, len(in.rest), c)
			}
		}
		if moved > 4*frame || made > 5*frame {
			t.Errorf("pieces of %d: %d bytes were moved, and memory of %d was made, for a frame of %d", each, moved, made, frame)
		}
		if each <= smallRest && large > 0 {
			t.Errorf("pieces of %d: a large buffer was held in %d turns", each, large)
		}
		for i, b := range mem {
			if b != byte(i*31)^0x5a {
				t.Fatalf("pieces of %d: byte %d is not what was sent", each, i)
			}
		}
		if in.buf != nil || len(in.rest) > 0 || cap(in.rest) > smallRest {
			t.Errorf("pieces of %d: %d bytes are held behind it", each, len(in.buf)+cap(in.rest))
		}
	}
}

// TestFramesBehindADribblingOne: later frames arrive whole, whatever the pieces.
func TestFramesBehindADribblingOne(t *testing.T) {
	const n = 40
	for each := 1; each < 400; each += 3 {
		f, w, mem, frame := drip(t, 200, each)
		one := w.stream
		for range n - 1 {
			w.stream = append(w.stream, one...)
		}
		for len(w.stream) > 0 {
			w.dry = false
			for f.c.Run() {
			}
		}
		if got := f.c.bytesRead.Load(); got != int64(n*frame) || f.c.in.r != f.c.in.w || len(f.c.in.rest) > 0 {
			t.Fatalf("pieces of %d: %d of %d bytes were taken, and %d are left", each, got, n*frame, len(f.c.in.rest))
		}
		if f.c.q.State.Load() != core.StateReady || mem[199] == 0 {
			t.Fatalf("pieces of %d: the connection is over", each)
		}
	}
}
