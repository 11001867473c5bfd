package rdmatest

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// full is a queue pair that accepts so many posts.
type full struct {
	hca.QP
	room int
}

var errFull = errors.New("full")

func (q *full) take(n int) (int, error) {
	if n > q.room {
		n = q.room
		q.room = 0
		return n, errFull
	}
	q.room -= n
	return n, nil
}

func (q *full) PostSends(wrs []hca.SendWR) (int, error) { return q.take(len(wrs)) }
func (q *full) PostRecvs(wrs []hca.RecvWR) (int, error) { return q.take(len(wrs)) }

// TestAFaultBehindARefusedPost has not happened: no such post was made. It happens at the n-th that is.
func TestAFaultBehindARefusedPost(t *testing.T) {
	for call, post := range map[Call]func(q *faultQP, n int) (int, error){
		Post:        func(q *faultQP, n int) (int, error) { return q.PostSends(make([]hca.SendWR, n)) },
		PostReceive: func(q *faultQP, n int) (int, error) { return q.PostRecvs(make([]hca.RecvWR, n)) },
	} {
		fired := 0
		f := &Faults{hit: func(Call) { fired++ }}
		below := &full{room: 1}
		q := &faultQP{below, &adapter{faults: f}}
		f.SetNth(call, rdma.ErrResources, 4)
		if n, err := post(q, 5); n != 1 || !errors.Is(err, errFull) || fired != 0 { // two calls: one is refused
			t.Errorf("%v: %d posts, %v, and %d faults", call, n, err, fired)
		}
		below.room = 8
		if n, err := post(q, 5); n != 1 || !errors.Is(err, rdma.ErrResources) || fired != 1 {
			t.Errorf("%v: then %d posts, %v, and %d faults", call, n, err, fired)
		}
		if n, err := post(q, 5); n != 5 || err != nil || fired != 1 {
			t.Errorf("%v: at last %d posts, %v, and %d faults", call, n, err, fired)
		}
	}
}

// TestSeveralNthCalls: each counts by itself.
func TestSeveralNthCalls(t *testing.T) {
	f := &Faults{}
	for _, n := range []int{4, 2, 2} {
		f.SetNth(Post, rdma.ErrResources, n)
	}
	for i, want := range []bool{false, true, true, true, false, false} {
		if err := f.of(Post); (err != nil) != want {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
}
