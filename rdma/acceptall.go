package rdma

import (
	"context"
	"iter"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// AcceptAll accepts every request as it arrives, each on a new endpoint with this
// configuration, and yields the connections as they are established. It does not wait for
// the peer of one request before it answers the next: up to 128 accepts, or [ListenConfig].Backlog
// if that is less, are in progress at a time, so that a slow or distant peer does not delay others.
//
//	for conn, err := range ln.AcceptAll(ctx, rdma.EndpointConfig{Inbox: inbox}) {
//		if err != nil {
//			return err
//		}
//		go serve(conn)
//	}
//
// A peer that gives up, or does not begin in time, is logged ([OpenConfig].Log) and
// skipped. The last step yields a nil connection and the reason for the end: ErrCanceled
// or ErrTimeout when ctx is done, ErrClosed when the listener is closed, or the error of
// [ConnRequest.Accept] if the configuration is invalid or there is no memory; that request
// is then rejected. When the loop ends, AcceptAll cancels the accepts in progress, closes
// the connections that were not yielded, and waits until both are done. A nil ctx is a
// panic.
func (l *Listener) AcceptAll(ctx context.Context, cfg EndpointConfig) iter.Seq2[*Conn, error] {
	mustHave("Listener.AcceptAll", ctx != nil)
	return func(yield func(*Conn, error) bool) {
		within, cancel := context.WithCancel(ctx)
		a := acceptor{l: l, cfg: cfg, conns: make(chan *Conn), failed: make(chan error, 1), done: within.Done()}
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		all.Go(func() {
			hca.Do(within, l.adapter.name, "accept", func() { a.run(within, &all) }) // each accept inherits the labels
		})
		for {
			select {
			case c := <-a.conns:
				if !yield(c, nil) {
					return
				}
			case err := <-a.failed:
				if ctx.Err() != nil {
					err = contextError(ctx, "accept", l.Addr().String(), nothingBegun)
				}
				yield(nil, err)
				return
			}
		}
	}
}

// acceptsAtOnce bounds the accepts in progress: each has an endpoint, and any peer may be slow.
const acceptsAtOnce = 128

// acceptor is one AcceptAll.
type acceptor struct {
	l      *Listener
	cfg    EndpointConfig
	conns  chan *Conn
	failed chan error // why it ends
	done   <-chan struct{}
}

// run takes requests until the listener is closed or ctx ends.
func (a *acceptor) run(ctx context.Context, all *sync.WaitGroup) {
	slots := make(chan struct{}, min(max(cap(a.l.requests), 1), acceptsAtOnce))
	var begun sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			a.fail(ctx.Err())
			return
		case slots <- struct{}{}:
		}
		select {
		case <-ctx.Done():
			a.fail(ctx.Err())
			return
		case r, ok := <-a.l.requests:
			if !ok {
				begun.Wait() // what was asked before the end is still good
				a.fail(hca.NewError(hca.Closed, "accept", a.l.Addr().String(), "the listener has been closed, or its requests go to a sink"))
				return
			}
			begun.Add(1)
			all.Go(func() {
				defer begun.Done()
				a.accept(ctx, r)
				<-slots
			})
		}
	}
}

// accept accepts one request and hands the connection over.
func (a *acceptor) accept(ctx context.Context, r *ConnRequest) {
	c, err := r.Accept(ctx, a.cfg)
	switch {
	case err == nil:
		select {
		case a.conns <- c:
		case <-a.done:
			c.Close()
		}
	case !r.answered.Load(): // nothing was wrong with the peer
		r.Reject(nil)
		a.fail(err)
	default:
		a.l.adapter.log.Warn("rdma: a peer was not connected", "err", err)
	}
}

// fail ends the iteration; the first reason counts.
func (a *acceptor) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}
