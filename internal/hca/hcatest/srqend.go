package hcatest

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

var srqEndCases = []Case{
	{"shared receives", "the last receive is reported once, after the end", withSRQ(srqLast)},
	{"shared receives", "a message that is cut off gives its receive back", withSRQ(srqCutOff)},
	{"shared receives", "one broken connection leaves the others their receives", withSRQ(srqOthers)},
	{"shared receives", "no entry comes twice while connections come and go", withSRQ(srqChurn)},
}

// lastReceive waits for the event, which follows the terminal one.
func (e *end) lastReceive(what string) {
	e.Helper()
	e.ev.when(what+": last receive", func() bool { return e.ev.last })
}

func srqLast(s *shared) {
	for _, ender := range enders {
		c := s.join()
		s.post(c.b.mail.seg(0, 8))
		s.use(c)
		ender.end(c)
		c.b.ev.end(ender.name)
		if ender.name != "Close by the listener" { // no callback after Close
			c.b.lastReceive(ender.name)
		}
		c.a.ev.end(ender.name)
		c.close()
		if c.a.ev.last {
			s.Errorf("%s: a last receive on a queue pair without shared ones", ender.name)
		}
		s.rq.empty(ender.name)
	}
}

func srqCutOff(s *shared) {
	const n = 1 << 20
	for range 5 {
		c := s.join()
		src, dst := c.a.region(n, hca.LocalRead), s.b.region(n, hca.LocalWrite)
		posted := map[uint64]bool{}
		for range 4 {
			posted[s.post(dst.seg(0, n))] = true
		}
		for range 3 {
			c.a.post(send(src.seg(0, n)))
		}
		s.must("Disconnect", c.a.qp.Disconnect(false))
		c.b.ev.end("abrupt")
		c.b.lastReceive("abrupt")
		for _, wc := range s.rq.drain() { // all that the queue pair had taken
			if !posted[wc.ID] || wc.Owner != any(c.b) {
				s.Errorf("entry %d of %v: not posted, or twice", wc.ID, wc.Owner)
			}
			delete(posted, wc.ID)
		}
		c.close()
		if s.h.LosesSharedReceives {
			s.Logf("not checked: this device loses the receive of a message that is cut off")
			return
		}
		if a, o := s.srq.Counts(); a != len(posted) || o != len(posted) {
			s.Errorf("%d available and %d outstanding, want %d of each", a, o, len(posted))
		}
		// The next connection uses the remaining receives.
		next := s.join()
		for range len(posted) {
			next.a.do(send(next.a.mail.seg(0, 8)))
			wc := s.rq.next("message")
			if !posted[wc.ID] || wc.Owner != any(next.b) || wc.Status != hca.StatusOK {
				s.Errorf("entry %d of %v: %v", wc.ID, wc.Owner, wc.Status)
			}
			delete(posted, wc.ID)
		}
		next.close()
		dst.guards("cut off")
	}
}

func srqOthers(s *shared) {
	good, bad := s.join(), s.join()
	for range 6 {
		s.post(good.b.mail.seg(0, 8))
	}
	s.use(good)
	s.use(bad)
	wr := write(bad.b.mail, 0, bad.a.mail.seg(0, 8))
	wr.RKey ^= 1
	bad.a.post(wr)
	bad.b.ev.broken("wrong key")
	bad.b.lastReceive("wrong key")
	bad.close()
	s.rq.empty("receives that no queue pair took")
	for range 4 {
		s.use(good)
	}
	if a, o := s.srq.Counts(); a != 0 || o != 0 {
		s.Errorf("%d available and %d outstanding, want none", a, o)
	}
}

func srqChurn(s *shared) {
	const messages = 60
	if s.h.NoReceiveWait {
		s.Logf("not checked: this device breaks a connection whose message comes before its receive")
		return
	}
	var done atomic.Int64
	box := s.b.region(16*64, hca.LocalWrite)
	slots := map[uint64]int{}
	for i := range 16 {
		slots[s.post(box.seg(64*i, 64))] = i
	}
	var wg sync.WaitGroup
	for range 12 {
		c := s.join()
		wg.Go(func() {
			for range messages {
				if err := c.a.qp.PostSend(send(c.a.mail.seg(0, 32))); err != nil {
					s.Errorf("PostSend: %v", err)
					return
				}
				if wc, err := c.a.sq.wait(); err != nil || wc.Status != hca.StatusOK {
					s.Errorf("send: %v, %v", wc.Status, err)
					return
				}
			}
			done.Add(1)
		})
	}
	for range 12 * messages {
		wc := s.rq.next("message")
		slot, ok := slots[wc.ID]
		if !ok || wc.Status != hca.StatusOK {
			s.Fatalf("entry %d: %v: not posted, or twice", wc.ID, wc.Status)
		}
		delete(slots, wc.ID)
		slots[s.post(box.seg(64*slot, 64))] = slot
	}
	wg.Wait()
	if done.Load() != 12 {
		s.Errorf("%d of 12 peers are done", done.Load())
	}
	box.guards("messages")
}
