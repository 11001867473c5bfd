package fakeibv_test

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// connect begins a connection between nodes, or to nowhere.
func (h *history) connect() {
	n := h.nodes[h.rng.IntN(2)]
	p := h.newParty(n)
	if p == nil {
		return
	}
	for range h.rng.IntN(6) {
		p.receive()
	}
	to := h.nodes[h.rng.IntN(2)].ln.Addr()
	switch h.rng.IntN(12) {
	case 0:
		to = "192.0.2.1:9" // nobody listens
	case 1:
		to = "192.0.2.99:9" // nobody is there
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	h.cancels = append(h.cancels, cancel)
	p.tried = true
	h.call(func() {
		private := []byte{byte(p.index())}
		p.done(p.qp.Connect(ctx, to, hca.ConnParams{Private: private}))
	})
}

// asked gives a request that nobody has answered, or nil.
func (h *history) asked(n *node) hca.ConnRequest {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(n.held) == 0 {
		return nil
	}
	r := n.held[0]
	n.held = n.held[1:]
	return r
}

// answer answers a request that was held.
func (h *history) answer() {
	n := h.nodes[h.rng.IntN(2)]
	if h.rng.IntN(3) == 0 {
		return
	}
	r := h.asked(n)
	if r == nil {
		return
	}
	if h.rng.IntN(6) == 0 {
		h.call(func() { r.Reject([]byte("no")) })
		return
	}
	p := h.newParty(n)
	if p == nil {
		h.call(func() { r.Reject(nil) })
		return
	}
	for range h.rng.IntN(6) {
		p.receive()
	}
	p.peer = h.parties[r.Private()[0]]
	p.peer.peer = p
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	h.cancels = append(h.cancels, cancel)
	p.tried = true
	h.call(func() { p.done(r.Accept(ctx, p.qp, hca.ConnParams{})) })
}

// use does something with a party.
func (h *history) use(p *party) {
	switch k := h.rng.IntN(100); {
	case p.closed, p.over() && h.rng.IntN(20) > 0:
	case k < 55:
		p.post()
	case k < 92:
		p.receive()
	case k < 93:
		p.asked = p.qp.Disconnect(true) == nil || p.asked
	case k < 94:
		p.asked = p.qp.Disconnect(false) == nil || p.asked
	case k < 95:
		p.closed, p.asked = true, true
		h.call(func() { p.qp.Close() })
	default:
		p.qp.Outstanding()
	}
}

// poll takes entries from the queues.
func (h *history) poll() {
	var wcs [8]hca.WC
	for _, c := range h.queues {
		if h.rng.IntN(4) == 0 {
			c.Arm()
		}
		h.take(wcs[:c.Poll(wcs[:1+h.rng.IntN(8)])])
	}
}

func (h *history) take(wcs []hca.WC) {
	for i := range wcs {
		switch n := int(wcs[i].ID >> 32); {
		case n >= len(h.parties):
			h.wrong("an entry of nobody: %+v", wcs[i])
			continue
		default:
			h.parties[n].entry(&wcs[i])
		}
		switch wcs[i].Status {
		case hca.StatusOK:
			h.total["succeeded"]++
		case hca.StatusFlushed:
			h.total["flushed"]++
		default:
			h.total["failed"]++
		}
	}
}

// pump takes steps until f has returned.
func (h *history) pump(what string, f func()) {
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	for began := time.Now(); ; {
		h.settle()
		select {
		case <-done:
			return
		default:
		}
		if h.w.Step() {
			continue
		}
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(began) > time.Minute {
			h.t.Fatalf("GODAPL_FAKE_SEED=%d: %s: not back after a minute", h.seed, what)
		}
	}
}

// end closes everything, in one of two ways, and looks at the books.
func (h *history) end() {
	if h.rng.IntN(4) == 0 { // the adapters end all that there is
		h.pump("Adapter.Close", func() {
			for _, n := range h.nodes {
				n.a.Close()
			}
			h.calls.Wait()
		})
		h.cancel()
		return
	}
	h.pump("QP.Close", func() {
		for _, p := range h.parties {
			p.asked = true
			p.qp.Close()
		}
		h.calls.Wait()
	})
	h.cancel()
	var wcs [8]hca.WC
	for _, c := range h.queues {
		for k := -1; k != 0; {
			k = c.Poll(wcs[:])
			h.take(wcs[:k])
		}
	}
	for _, p := range h.parties {
		p.audit()
	}
	h.pump("closing", func() {
		for _, n := range h.nodes {
			n.ln.Close()
		}
		for _, c := range h.queues {
			if err := c.Close(); err != nil {
				h.wrong("CQ.Close: %v", err)
			}
		}
		for _, n := range h.nodes {
			n.a.Close()
		}
	})
}

func (h *history) cancel() {
	for _, c := range h.cancels {
		c()
	}
}
