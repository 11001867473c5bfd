package rdmatest

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// TestTheBooksFindMemoryThatChanges while it belongs to an operation.
func TestTheBooksFindMemoryThatChanges(t *testing.T) {
	const size, length = 8, 5
	for name, c := range map[string]struct {
		op       hca.Op
		flags    hca.Flags
		change   int  // the byte that changes
		also     bool // a second receive has the same memory
		complete bool // before it changes
		want     int
	}{
		"what is sent":              {op: hca.OpSend, change: 2, want: 1},
		"what is written":           {op: hca.OpWrite, change: 4, want: 1},
		"behind what is sent":       {op: hca.OpSend, change: 6},
		"sent and complete":         {op: hca.OpSend, change: 2, complete: true},
		"behind a fence":            {op: hca.OpSend, flags: hca.Fence, change: 2},
		"a message":                 {op: hca.OpRecv, change: 2},
		"behind a message":          {op: hca.OpRecv, change: 6, want: 1},
		"immediate data":            {op: hca.OpRecvWriteImm, change: 2, want: 1},
		"memory of two receives":    {op: hca.OpRecv, change: 6, also: true},
		"behind a complete message": {op: hca.OpRecv, change: 6, complete: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			no := &noting{TB: t}
			w := NewWorld(t, 1)
			h := &Host{w: w, name: "h"}
			b := make([]byte, size)
			a := &worldAdapter{h: h, regions: map[hca.Key]hca.Memory{7: {Bytes: b, Own: true}}, at: map[hca.Key]uint64{}}
			q := &worldQP{QP: below{}, a: a, peer: &worldQP{}}
			wc := hca.WC{ID: 1, Op: c.op, Len: length}
			if c.op >= hca.OpRecv {
				q.peer.outbox.list = []message{{op: c.op, len: length}}
				must1(t, q.PostRecv(hca.RecvWR{Local: hca.Segment{Len: size, Key: 7}}))
				if c.also {
					must1(t, q.PostRecv(hca.RecvWR{Local: hca.Segment{Len: 1, Addr: size - 1, Key: 7}}))
				}
			} else {
				must1(t, q.PostSend(hca.SendWR{Op: c.op, Flags: c.flags, Local: hca.Segment{Len: length, Key: 7}}))
			}
			w.t = no
			if c.complete {
				q.complete(&wc)
			}
			b[c.change]++
			if !c.complete {
				q.complete(&wc)
			}
			w.t = t
			if no.n != c.want {
				t.Errorf("%s: %d failures, want %d", name, no.n, c.want)
			}
		})
	}
}
