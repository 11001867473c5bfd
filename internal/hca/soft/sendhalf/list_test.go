package sendhalf_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// TestAListEndsAtTheFirstRefusal: the requests before it are done, those behind it are not, and their places are free;
// whether somebody is inside the gate or not.
func TestAListEndsAtTheFirstRefusal(t *testing.T) {
	wrong := request(9, hca.OpSend)
	wrong.More = make([]hca.Segment, 3)
	var long []hca.SendWR
	var all []uint64
	for id := range uint64(depth) {
		long, all = append(long, request(id, hca.OpSend)), append(all, id)
	}
	for _, c := range []struct {
		name string
		list []hca.SendWR
		code error
		done []uint64
	}{
		{"in the middle", []hca.SendWR{request(1, hca.OpSend), request(2, hca.OpWriteImm), wrong, request(3, hca.OpSend)}, hca.Invalid, []uint64{1, 2}},
		{"at the beginning", []hca.SendWR{wrong, request(3, hca.OpSend)}, hca.Invalid, nil},
		{"behind the depth", append(long[:depth:depth], request(10, hca.OpSend), request(11, hca.OpSend)), core.ErrSendFull, all},
	} {
		for _, shut := range []bool{false, true} {
			l := newLane(t)
			if shut {
				l.hold(t)
			}
			n, err := l.PostSends(c.list)
			if n != len(c.done) || !errors.Is(err, c.code) || l.q.Tx.Used() != n {
				t.Errorf("%s, shut %t: %d were posted, %d places are taken, want %d; %v", c.name, shut, n, l.q.Tx.Used(), len(c.done), err)
			}
			if shut {
				if n == 0 && l.q.Tx.Word.Load()&(2*gate.HeldBit) != 0 {
					t.Errorf("%s: the goroutine inside has work, though nothing was posted", c.name)
				}
				l.LeaveSend()
			}
			l.completed(t, c.done...)
		}
	}
}

// TestAFullQueueTakesNothing: neither form of a single post leaves anything behind when it is refused.
func TestAFullQueueTakesNothing(t *testing.T) {
	l := newLane(t)
	l.hold(t)
	for id := range uint64(depth) {
		l.post(t, id)
	}
	for _, err := range []error{l.PostPlainSend(9, 0, hca.Segment{Len: 1}), l.PostSend(request(9, hca.OpSend)), l.PostSend(request(9, hca.OpWriteImm))} {
		if !errors.Is(err, core.ErrSendFull) {
			t.Error(err)
		}
	}
	l.LeaveSend()
	l.completed(t, 0, 1, 2, 3, 4, 5, 6, 7)
}
