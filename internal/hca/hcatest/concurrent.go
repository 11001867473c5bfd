package hcatest

import (
	"runtime"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

var concurrentCases = []Case{
	{"concurrency", "several goroutines post on one queue pair", manyPosters},
	{"concurrency", "several goroutines post receives on one queue pair", manyReceivers},
	{"concurrency", "objects come and go on several goroutines", manyMakers},
}

// manyPosters has each goroutine write to a slot of its own and checks that
// every request completes once, those of a goroutine in its order.
func manyPosters(t *env) {
	const posters, each = 4, 800
	c := t.pair(setup{send: 32})
	src, dst := c.a.region(8*posters, hca.LocalRead), c.b.region(8*posters, c.b.all())
	fill(src.b, 1)
	var wg sync.WaitGroup
	room := make(chan struct{}, 32) // as many as the queue takes
	quit := make(chan struct{})
	defer close(quit)
	for p := range posters {
		wg.Go(func() {
			for i := range each {
				select {
				case room <- struct{}{}:
				case <-quit:
					return
				}
				wr := write(dst, 8*p, src.seg(8*p, 8))
				wr.ID = uint64(p*each + i)
				if err := c.a.qp.PostSend(wr); err != nil {
					t.Errorf("PostSend: %v", err)
					return
				}
			}
		})
	}
	var next [posters]int
	for range posters * each {
		wc := c.a.sq.next("write")
		p, i := int(wc.ID)/each, int(wc.ID)%each
		if p >= posters || next[p] != i || wc.Status != hca.StatusOK || wc.Op != hca.OpWrite || wc.Len != 8 {
			t.Fatalf("entry %d (%v, %v): want number %d of goroutine %d", wc.ID, wc.Op, wc.Status, next[p], p)
		}
		next[p]++
		<-room
	}
	wg.Wait()
	c.settle(c.a)
	dst.holds("all of it", 0, 8*posters, 1)
	c.a.sq.empty("all done")
	c.a.idle("all done")
}

func manyReceivers(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks a connection whose message comes before its receive")
		return
	}
	const posters, each = 4, 500
	c := t.pair(setup{recv: 32})
	var wg sync.WaitGroup
	room := make(chan struct{}, 32)
	quit := make(chan struct{})
	defer close(quit)
	for p := range posters {
		wg.Go(func() {
			for i := range each {
				select {
				case room <- struct{}{}:
				case <-quit:
					return
				}
				wr := hca.RecvWR{ID: uint64(p*each + i), Local: c.b.mail.seg(8*p, 8)}
				if err := c.b.qp.PostRecv(wr); err != nil {
					t.Errorf("PostRecv: %v", err)
					return
				}
			}
		})
	}
	fill(c.a.mail.b, 1)
	var next [posters]int
	for range posters * each {
		c.a.do(send(c.a.mail.seg(0, 8)))
		wc := c.b.rq.next("message")
		p, i := int(wc.ID)/each, int(wc.ID)%each
		if p >= posters || next[p] != i || wc.Status != hca.StatusOK || wc.Len != 8 {
			t.Fatalf("entry %d (%v, %v): want number %d of goroutine %d", wc.ID, wc.Op, wc.Status, next[p], p)
		}
		next[p]++
		if string(c.b.mail.b[8*p:8*p+8]) != string(c.a.mail.b[:8]) {
			t.Errorf("message %d is not in the memory of its receive", wc.ID)
		}
		<-room
	}
	wg.Wait()
	c.b.idle("all used")
}

func manyMakers(t *env) {
	c := t.pair()
	s := c.fixture.a
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			mem := make([]byte, 4096)
			for range 50 {
				pd, err := s.ad.NewPD()
				if err != nil {
					t.Errorf("NewPD: %v", err)
					return
				}
				mr, err := pd.Register(hca.Memory{Bytes: mem}, s.all())
				if err != nil {
					t.Errorf("Register: %v", err)
					return
				}
				cq, err := s.ad.NewCQ(hca.CQConfig{Depth: 16})
				if err != nil {
					t.Errorf("NewCQ: %v", err)
					return
				}
				qp, err := s.ad.NewQP(hca.QPConfig{
					PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 4, RecvDepth: 4, SendSGE: 1, RecvSGE: 1, ReadsIn: 1, ReadsOut: 1,
					Event: func(hca.ConnEvent) { t.Errorf("an event without a connection") },
				})
				if err != nil {
					t.Errorf("NewQP: %v", err)
					return
				}
				runtime.Gosched()
				for _, f := range []func() error{qp.Close, cq.Close, mr.Close, pd.Close} {
					if err := f(); err != nil {
						t.Errorf("Close: %v", err)
					}
				}
			}
		})
	}
	for range 200 { // and meanwhile
		c.a.do(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
	}
	wg.Wait()
	c.expectAlive("beside others")
}
