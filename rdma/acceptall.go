package rdma

import (
	"context"
	"iter"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// AcceptAll accepts every request as it arrives, each on an endpoint of this configuration,
// and yields the connections as they are established. It answers the next request while
// the peers of earlier ones have not begun yet, as many at a time as the backlog has, so a
// peer that is slow or far away keeps nobody waiting.
//
//	for conn, err := range ln.AcceptAll(ctx, rdma.EndpointConfig{Inbox: inbox}) {
//		if err != nil {
//			return err
//		}
//		go serve(conn)
//	}
//
// A peer that gives up, or does not begin in time, is logged (OpenConfig.Log) and passed
// over. The last step yields no connection and the reason for the end: ErrCanceled or
// ErrTimeout when ctx ends, ErrClosed when the listener is closed, and what Accept says if
// the configuration is wrong or there is no memory; the request is rejected then. When the
// loop ends, attempts under way are given up, and connections that were not yielded are
// closed; it waits for that.
func (l *Listener) AcceptAll(ctx context.Context, cfg EndpointConfig) iter.Seq2[*Conn, error] {
	mustHave("Listener.AcceptAll", ctx != nil)
	return func(yield func(*Conn, error) bool) {
		within, cancel := context.WithCancel(ctx)
		a := acceptor{l: l, cfg: cfg, conns: make(chan *Conn), failed: make(chan error, 1), done: within.Done()}
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		all.Go(func() { a.run(within, &all) })
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
	room := make(chan struct{}, max(cap(a.l.requests), 1))
	var begun sync.WaitGroup
	for {
		select {
		case <-ctx.Done():
			a.fail(ctx.Err())
			return
		case room <- struct{}{}:
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
				<-room
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
