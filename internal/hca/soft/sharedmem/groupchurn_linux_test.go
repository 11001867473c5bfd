package sharedmem_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// TestShmGroupsComeAndGo: groups come and go with their connections, while some attempts to connect end in the middle.
// Each connection carries a message, and in the end no descriptor and no mapping is left.
func TestShmGroupsComeAndGo(t *testing.T) {
	const rounds, most = 30, 8
	r := rand.New(rand.NewPCG(softtest.SeedOf(t), 1))
	a, b := softtest.NewEnd(t, "shm", rounds*most, 4096), softtest.NewEnd(t, "shm", rounds*most, 4096)
	softtest.Join(t, a, b) // an adapter keeps what it opens for its first connection
	requests := make(chan hca.ConnRequest, rounds*most)
	l, err := b.A.Listen(t.Context(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool { requests <- r; return true }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	before, mapped := softtest.Descriptors(t), shm.Mappings()
	sent := 0
	for id := byte(0); id < rounds*most; {
		var ends []hca.QP
		for range most {
			at := 8 * uint64(id)
			x, y := another(t, a), another(t, b)
			if err := y.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.MR.Addr() + at, Len: 8, Key: b.MR.LKey()}}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			breaks := r.IntN(3) == 0
			over := attempt(ctx, x, y, l.Addr(), id, requests)
			if breaks {
				for range r.IntN(200) {
					runtime.Gosched()
				}
				cancel()
			}
			errs := over()
			cancel()
			switch {
			case errs == [2]error{}:
				if err := x.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: a.MR.Addr() + at, Len: 8, Key: a.MR.LKey()}}); err != nil {
					t.Fatal(err)
				}
				sent++
			case !breaks:
				t.Fatal(errs)
			}
			ends = append(ends, x, y)
			id++
		}
		softtest.PollN(t, a.SendCQ, sent)
		sent = 0
		r.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
		for _, q := range ends {
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	settled(t, before)
	if n := shm.Mappings(); n > mapped {
		t.Errorf("%d mappings, and %d before", n, mapped)
	}
	_, _ = a.QP.Close(), b.QP.Close()
}

// another is one more queue pair of an end.
func another(t *testing.T, e *softtest.End) hca.QP {
	t.Helper()
	q, err := e.A.NewQP(hca.QPConfig{PD: e.PD, SendCQ: e.SendCQ, RecvCQ: e.RecvCQ, SendDepth: 1, RecvDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// attempt begins to connect x with y. The function that it returns waits for both results. Requests of former attempts are
// rejected.
func attempt(ctx context.Context, x, y hca.QP, address string, id byte, requests <-chan hca.ConnRequest) (over func() (errs [2]error)) {
	errs := [2]error{1: context.Canceled}
	answered := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() {
		defer close(answered)
		errs[0] = x.Connect(ctx, address, hca.ConnParams{Private: []byte{id}})
	})
	both.Go(func() {
		for {
			select {
			case request := <-requests:
				if request.Private()[0] == id {
					errs[1] = request.Accept(ctx, y, hca.ConnParams{})
					return
				}
				_ = request.Reject(nil)
			case <-answered:
				return
			}
		}
	})
	return func() [2]error { both.Wait(); return errs }
}
