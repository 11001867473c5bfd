package hcatest

import (
	"os"
	"strconv"

	"github.com/godapl/godapl/internal/hca"
)

var inFlightCases = []Case{
	{"one in flight", "a server that polls has a slot for each answer", serveOne((*queue).spun)},
	{"one in flight", "a server that parks has a slot for each answer", serveOne((*queue).wait)},
}

// inFlightDepth is how deep the send queue of a server must be that has one request in flight.
func (h *Harness) inFlightDepth() int {
	if h.LateCompletions {
		return 2
	}
	return 1
}

// requests is how many requests are served. GODAPL_REQUESTS=1000000 serves more.
func requests() int {
	if n, err := strconv.Atoi(os.Getenv("GODAPL_REQUESTS")); err == nil {
		return n
	}
	return 500
}

// spun is wait without parking.
func (q *queue) spun() (hca.WC, error) { return q.spin("request"), nil }

// serveOne has a server whose client sends a request when it has the answer to the one before. The server takes
// its own completions only now and then.
func serveOne(next func(*queue) (hca.WC, error)) func(t *env) {
	return func(t *env) {
		const takeEvery = 100
		n := requests()
		c := t.pair(setup{}, setup{send: t.h.inFlightDepth(), entries: 2 * takeEvery})
		for range 2 {
			c.b.receive(c.b.mail.seg(0, 8))
		}
		client := start(func() error {
			for range n {
				if err := c.a.qp.PostRecv(hca.RecvWR{Local: c.a.mail.seg(8, 8)}); err != nil {
					return err
				}
				if err := c.a.qp.PostSend(with(send(c.a.mail.seg(0, 8)), hca.Suppress)); err != nil {
					return err
				}
				if wc, err := c.a.rq.wait(); err != nil || wc.Status != hca.StatusOK {
					return hca.Work
				}
			}
			return nil
		})
		for i := range n {
			wc, err := next(c.b.rq)
			t.must("request", err)
			if wc.Status != hca.StatusOK {
				t.Fatalf("request %d: %v", i, wc.Status)
			}
			c.b.receive(c.b.mail.seg(0, 8))
			if err := c.b.qp.PostSend(send(c.b.mail.seg(8, 8))); err != nil {
				t.Fatalf("answer to request %d of %d: %v", i, n, err)
			}
			if i%takeEvery == 0 {
				c.b.sq.drain()
			}
		}
		t.must("client", t.patiently("client", client))
	}
}
