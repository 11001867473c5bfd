package hcatest

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// An object is closed while another goroutine is about to use it: the use comes first
// and succeeds, or it is refused.
var besideCases = []Case{
	{"beside Close", "of a domain, memory and queues are made in it", domainBeside},
	{"beside Close", "of a completion queue, queue pairs are made on it", queueBeside},
	{"beside Close", "of a window and its region, it is bound", perKind(windowBeside)},
	{"beside Close", "of a connection that is given up, its refusal comes", refusalBeside},
	{"beside Close", "of a connection that is given up, it is accepted", acceptBeside},
}

// closeBeside calls close until it succeeds, and then done, while make runs, which
// makes something, removes it, and reports whether it could.
func (t *env) closeBeside(what string, close func() error, done func(), make func() bool) {
	t.Helper()
	var wg sync.WaitGroup
	var begun atomic.Bool
	wg.Go(func() {
		for range 40 { // and then lets it be closed
			ok := make()
			begun.Store(true)
			if !ok {
				return
			}
		}
	})
	for !begun.Load() {
		runtime.Gosched()
	}
	for {
		err := close()
		if err == nil {
			break
		}
		t.code(what, err, hca.InUse)
		runtime.Gosched()
	}
	done()
	wg.Wait()
}

func domainBeside(t *env) {
	s := t.side("adapter", hca.Options{})
	mem := hca.Memory{Bytes: make([]byte, 4096)}
	for i := range 60 {
		pd := s.domain()
		var closed atomic.Bool
		t.closeBeside("PD.Close", pd.Close, func() { closed.Store(true) }, func() bool {
			var c interface{ Close() error }
			var err error
			if i%3 == 2 && s.can(hca.CapSRQ) {
				c, err = pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
			} else {
				c, err = pd.Register(mem, hca.LocalRead)
			}
			if err != nil {
				t.code("in a domain being closed", err, hca.Closed)
				return false
			}
			if closed.Load() {
				t.Errorf("a domain was closed with something in it")
			}
			runtime.Gosched()
			t.must("Close", c.Close())
			return true
		})
	}
}

func queueBeside(t *env) {
	s := t.side("adapter", hca.Options{})
	cfg := (&end{side: s, pd: s.pd, sq: s.queue(64), rq: s.queue(64), ev: newEvents(t, s.name, nil)}).config(setup{send: 4, recv: 4})
	for range 60 {
		cq, err := s.ad.NewCQ(hca.CQConfig{Depth: 8})
		t.must("NewCQ", err)
		cfg.RecvCQ = cq
		var closed atomic.Bool
		t.closeBeside("CQ.Close", cq.Close, func() { closed.Store(true) }, func() bool {
			qp, err := s.ad.NewQP(cfg)
			if err != nil {
				t.code("NewQP on a queue being closed", err, hca.Closed, hca.Invalid)
				return false
			}
			if closed.Load() {
				t.Errorf("a completion queue was closed with a queue pair on it")
			}
			runtime.Gosched()
			t.must("QP.Close", qp.Close())
			return true
		})
	}
}

func windowBeside(t *env, kind hca.WindowKind) {
	f := t.fixture(hca.Options{})
	for round := range 12 {
		c := f.pair()
		r := c.b.region(64, c.b.all())
		mw := c.b.window(kind)
		begun := make(chan struct{}, 1)
		bound := start(func() error {
			for i := range 61 { // as many as the queue takes, and the last one binds
				wr := bindWR(mw, r, 0, 64, hca.RemoteRead)
				if i%2 == 1 {
					wr = hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: mw}}
				}
				if err := c.b.qp.PostSend(with(wr, hca.Suppress)); err != nil {
					t.code("bind of a window being closed", err, hca.Closed)
					return nil
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
			return nil
		})
		await(t, "first bind", begun)
		for range round {
			runtime.Gosched()
		}
		t.must("MW.Close", t.within("MW.Close", mw.Close))
		t.must("binds", t.result("binds", bound))
		t.must("MR.Close", t.within("MR.Close", r.mr.Close))
		c.close() // the connection may have broken: a bind after the close fails
	}
}

const besideCrowd = 12

// giveUp makes many connects at once. Each request is answered, and then a connection
// whose request came a few before is given up: in each round at another moment of the
// answer's processing. The last of a round is given up before its answer.
func (t *env) giveUp(answer func(f *fixture, r hca.ConnRequest) <-chan error) {
	f := t.fixture(hca.Options{})
	var answered []<-chan error
	for round := range 6 {
		var dialers [besideCrowd]*end
		var cancels [besideCrowd]context.CancelFunc
		var dialed [besideCrowd]<-chan error
		for i := range dialers {
			var ctx context.Context
			ctx, cancels[i] = context.WithCancel(t.ctx())
			dialers[i] = f.a.end(setup{})
			dialers[i].receive(dialers[i].mail.seg(0, 8))
			dialed[i] = f.dial(ctx, dialers[i], []byte{byte(i)})
		}
		var order []int
		for n := range besideCrowd {
			r := f.request()
			order = append(order, int(r.Private()[0]))
			if n == besideCrowd-1 { // the others may all be answered in time: this one has gone before
				cancels[order[n]]()
				gone := make(chan error, 1)
				gone <- t.result("Connect", dialed[order[n]])
				dialed[order[n]] = gone
			}
			answered = append(answered, answer(f, r))
			if n >= round {
				cancels[order[n-round]]()
			}
		}
		for i, e := range dialers {
			err := t.result("Connect", dialed[i])
			cancels[i]()
			if err != nil {
				t.code("Connect", err, hca.Canceled, hca.Rejected, hca.Refused, hca.Disconnected, hca.Broken)
				e.flushed(1)
				e.ev.none("given up")
			}
			e.close()
			e.idle("closed")
		}
	}
	for _, done := range answered {
		t.must("answer", t.result("answer", done))
	}
	f.pair().expectAlive("after those given up")
}

func refusalBeside(t *env) {
	t.giveUp(func(f *fixture, r hca.ConnRequest) <-chan error {
		return start(func() error {
			r.Reject(nil) // the peer may have gone
			return nil
		})
	})
}

func acceptBeside(t *env) {
	t.giveUp(func(f *fixture, r hca.ConnRequest) <-chan error {
		e := f.b.end(setup{})
		return start(func() error {
			if r.Accept(f.ctx(), e.qp, hca.ConnParams{}) == nil {
				e.ev.end("the peer closed")
			}
			return e.qp.Close()
		})
	})
}
