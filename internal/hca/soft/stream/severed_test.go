package stream_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// Both ends are of this library, and the stream between them is cut after a byte: after each byte of the
// startup and of a message of each operation, in each direction.

// severed is a fabric of one stream that passes a limited number of bytes from the connecting side (there) and
// to it (back), and then closes both ends.
type severed struct {
	softtest.Pipes
	there, back int
	passed      [2]atomic.Int64 // number of bytes passed
}

func (v *severed) Dial(context.Context, string) (net.Conn, error) {
	ours, relay := net.Pipe()
	other, theirs := net.Pipe()
	pass := func(dst, src net.Conn, n int, passed *atomic.Int64) {
		b := make([]byte, 4096)
		for at := int(passed.Load()); at < n; { // the second attempt of an initiator passes nothing
			k, err := src.Read(b[:min(len(b), n-at)])
			if err != nil {
				break
			}
			k, err = dst.Write(b[:k])
			at = int(passed.Add(int64(k)))
			if err != nil {
				break
			}
		}
		_ = relay.Close()
		_ = other.Close()
	}
	go pass(other, relay, v.there, &v.passed[0])
	go pass(relay, other, v.back, &v.passed[1])
	v.Accepted <- theirs
	return ours, nil
}

// A half is one side: everything it has posted must complete once.
type half struct {
	*softtest.Lone
	posted uint64
	failed error // of the connect
}

func (h *half) seg(i, n int) hca.Segment {
	return hca.Segment{Addr: h.MR.Addr() + uint64(i), Len: uint32(n), Key: h.MR.LKey()}
}

func (h *half) post(wr hca.SendWR) {
	h.posted++
	wr.ID = h.posted
	if err := h.QP.PostSend(wr); err != nil {
		h.posted-- // the connection does not exist, or is over
	}
}

// settled checks the result when nothing moves any more: each post has one entry, the end was reported once if
// the connection was established, and no memory has changed except that of an operation or a receive.
func (h *half) settled(t *testing.T, at string) {
	_ = h.QP.Close()
	var wcs [32]hca.WC
	var seen []uint64
	for _, wc := range wcs[:h.CQ.Poll(wcs[:])] {
		seen = append(seen, wc.ID)
	}
	slices.Sort(seen)
	for i, b := range h.Array {
		if used := i >= 64+16 && i < 64+37; !used && b != softtest.PatternByte(i) {
			t.Fatalf("%s: byte %d of the memory has changed", at, i-64)
		}
	}
	for i := range h.posted {
		if len(seen) != int(h.posted) || seen[i] != i+1 {
			t.Fatalf("%s: entries for %v, want each of %d once", at, seen, h.posted)
		}
	}
	var kinds []hca.ConnEventKind
	for len(h.Events) > 0 {
		kinds = append(kinds, (<-h.Events).Kind)
	}
	switch {
	case h.failed != nil && len(kinds) > 0:
		t.Fatalf("%s: connecting failed with %v, and the events are %v", at, h.failed, kinds)
	case h.failed == nil && (len(kinds) != 2 || kinds[0] != hca.EventEstablished || kinds[1] == hca.EventEstablished):
		t.Fatalf("%s: the events are %v", at, kinds)
	}
}

// An operation is posted by one side, towards memory of the other.
var operations = map[string]func(from, to *half){
	"send": func(from, _ *half) { from.post(hca.SendWR{Op: hca.OpSend, Local: from.seg(0, 5)}) },
	"write": func(from, to *half) {
		from.post(hca.SendWR{Op: hca.OpWrite, Local: from.seg(0, 5), Remote: to.MR.Addr() + 16, RKey: to.MR.RKey()})
	},
	"write-immediate": func(from, to *half) {
		from.post(hca.SendWR{Op: hca.OpWriteImm, Local: from.seg(0, 5), Remote: to.MR.Addr() + 16, RKey: to.MR.RKey()})
	},
	"read": func(from, to *half) {
		from.post(hca.SendWR{Op: hca.OpRead, Local: from.seg(16, 5), Remote: to.MR.Addr(), RKey: to.MR.RKey()})
	},
	"fetch-add": func(from, to *half) {
		from.post(hca.SendWR{Op: hca.OpFetchAdd, Local: from.seg(16, 8), Remote: to.MR.Addr() + 24, RKey: to.MR.RKey(), Operand: 1})
	},
	"compare-swap": func(from, to *half) {
		from.post(hca.SendWR{Op: hca.OpCompareSwap, Local: from.seg(16, 8), Remote: to.MR.Addr() + 24, RKey: to.MR.RKey()})
	},
	"a send that is refused": func(from, _ *half) {
		from.post(hca.SendWR{Op: hca.OpSend, Local: from.seg(0, 60)})
	},
	"a read that is refused": func(from, _ *half) {
		from.post(hca.SendWR{Op: hca.OpRead, Local: from.seg(16, 5), Remote: 1, RKey: 2})
	},
}

func TestSevered(t *testing.T) {
	for name, op := range operations {
		for _, byInitiator := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%s", name, map[bool]string{true: "initiator", false: "responder"}[byInitiator]), func(t *testing.T) {
				t.Parallel()
				const all = 1 << 20
				from := sever(t, all, all, byInitiator, func(_, _ *half) {})
				to := sever(t, all, all, byInitiator, op)
				if from == to || from[0] < 40 || from[1] < 40 {
					t.Fatalf("%v bytes went through, of them %v for the start-up", to, from)
				}
				if name == "write" {
					from = [2]int{} // the startup is the same for all
				}
				for at := from[0]; at < to[0]; at++ {
					sever(t, at, all, byInitiator, op)
				}
				for at := from[1]; at < to[1]; at++ {
					sever(t, all, at, byInitiator, op)
				}
			})
		}
	}
}

// sever runs one connection, and returns how many bytes passed.
func sever(t *testing.T, there, back int, byInitiator bool, op func(from, to *half)) (passed [2]int) {
	at := fmt.Sprintf("%d bytes there, %d back", there, back)
	synctest.Test(t, func(t *testing.T) {
		v := &severed{Pipes: softtest.NewPipes(), there: there, back: back}
		d := soft.FabricDriver("severed", v)
		make := func() *half {
			h := &half{Lone: softtest.NewLone(t, d, hca.Options{}, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})}
			for range 2 {
				h.posted++
				if err := h.QP.PostRecv(hca.RecvWR{ID: h.posted, Local: h.seg(32, 5)}); err != nil {
					t.Fatal(err)
				}
			}
			return h
		}
		a, b := make(), make()
		answered := false
		ln, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(r hca.ConnRequest) bool {
			answered = true
			go func() { b.failed = r.Accept(context.Background(), b.QP, hca.ConnParams{}) }()
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		a.failed = a.QP.Connect(context.Background(), "anywhere:7", hca.ConnParams{})
		synctest.Wait()
		if !answered {
			b.failed = io.EOF
		}
		from, to := a, b
		if !byInitiator {
			from, to = b, a
		}
		op(from, to)
		synctest.Wait()
		passed = [2]int{int(v.passed[0].Load()), int(v.passed[1].Load())}
		_ = a.QP.Disconnect(false)
		synctest.Wait()
		_ = b.QP.Disconnect(false)
		a.settled(t, at)
		b.settled(t, at)
		_ = ln.Close()
	})
	return passed
}
