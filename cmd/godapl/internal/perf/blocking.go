package perf

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/rdma"
)

// -mode conn: Conn.Send and Conn.Recv, which post and wait.

func (c *config) blocks() bool { return c.Mode == "conn" }

// checkBlocks refuses flags that the blocking calls cannot be measured with.
func (c *config) checkBlocks() error {
	if c.blocks() && (c.Op != "send" || c.Depth > 1 || c.Endpoints > 1 || c.List > 1 || c.Burst != 0 || c.API != "native") {
		return errors.New("-mode conn is Conn.Send and Conn.Recv: -op send on one endpoint, one after the other, without -depth, -list and -burst")
	}
	return nil
}

// blockTrip is a message and the answer.
func (a *active) blockTrip(*rdma.Endpoint) error {
	// Closing the adapter ends both calls.
	ctx := context.Background()
	err := a.conn.Send(ctx, a.own.Slice(0, a.cfg.Size))
	if err == nil {
		_, err = a.conn.Recv(ctx, a.incoming.Slice(0, a.cfg.Size))
	}
	if err != nil {
		a.errors++
	}
	return err
}

// blockRate sends one message after the other. Where that does not prove that all has arrived, a read does, as settle's.
func (a *active) blockRate(l limit) (done int64, took time.Duration, err error) {
	n, over, stop := l.begin()
	defer stop()
	began := time.Now()
	for done < n && !over.Load() {
		if err := a.conn.Send(context.Background(), a.own.Slice(0, a.cfg.Size)); err != nil {
			a.errors++
			return done, 0, err
		}
		done++
	}
	if !a.acked {
		if _, err := a.conn.Read(context.Background(), a.flushed.Slice(0, 1), a.far.Slice(0, 1)); err != nil {
			a.errors++
			return done, 0, err
		}
	}
	return done, time.Since(began), nil
}

// block receives until the connection ends, and answers if it is to.
func (p *passive) block() error {
	var conn *rdma.Conn
	select {
	case conn = <-p.conns:
	case <-p.closing:
		return nil
	}
	ctx := context.Background()
	for {
		_, err := conn.Recv(ctx, p.incoming.Slice(0, p.cfg.Size))
		if err == nil && p.echo.Load() {
			err = conn.Send(ctx, p.own.Slice(0, p.cfg.Size))
		} else if err == nil {
			p.streamed++
			p.all.Store(p.streamed)
		}
		switch {
		case errors.Is(err, rdma.ErrDisconnected): // the other side has ended without waiting for the answer
			return nil
		case err != nil:
			return err
		}
	}
}
