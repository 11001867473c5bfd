package hcatest

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// streaming runs a stream, and returns when it has begun. The returned channel is
// closed when the stream has ended.
func (e *end) streaming(next func(i int) hca.SendWR) (ended chan struct{}) {
	e.Helper()
	begun, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		e.stream(begun, next)
	}()
	await(e.env, "first success", begun)
	return ended
}

// stream posts requests, two at a time, and closes begun at the first success. It ends
// with the first request that fails.
func (e *end) stream(begun chan struct{}, next func(i int) hca.SendWR) {
	under, first := 0, true
	for i := 0; ; i++ {
		wr := next(i)
		wr.ID = uint64(i)
		if err := e.qp.PostSend(wr); err != nil {
			e.Errorf("%s: PostSend: %v", e.name, err)
			break
		}
		if under++; under < 2 {
			continue
		}
		wc, err := e.sq.wait()
		if under--; err != nil {
			e.Errorf("%s: %v", e.name, err)
			break
		}
		if wc.Status != hca.StatusOK {
			break
		}
		if first {
			first = false
			close(begun)
		}
	}
	for ; under > 0; under-- {
		if _, err := e.sq.wait(); err != nil {
			e.Errorf("%s: %v", e.name, err)
			break
		}
	}
	if first {
		close(begun)
	}
}

// stopped waits for the end of a stream, and forces it if the stream did not end as it
// should.
func (e *end) stopped(what string, ended <-chan struct{}) {
	e.Helper()
	timer := time.NewTimer(e.h.patience())
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		e.qp.Disconnect(false)
		<-ended // its waits are bounded
		e.Fatalf("%s: %s: requests still succeeded after %v", e.name, what, e.h.patience())
	}
}
