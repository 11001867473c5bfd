package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// client is a connection to a server. It belongs to one goroutine.
type client struct {
	zone     *rdma.Zone
	conn     *rdma.Conn
	messages *mem.Region // a request and an answer for each piece under way
	into     *mem.Region // the pieces, which the server writes
}

func dial(ctx context.Context, adapter *rdma.Adapter, address string) (c *client, err error) {
	c = &client{}
	if c.zone, err = adapter.NewZone(); err != nil {
		return nil, err
	}
	if c.messages, err = c.zone.Alloc(2*pieces*messageSize, mem.Local); err != nil {
		return nil, err
	}
	if c.into, err = c.zone.Alloc(pieces*pieceSize, mem.LocalRead|mem.RemoteWrite); err != nil {
		return nil, err
	}
	c.conn, err = adapter.Dial(ctx, address, rdma.EndpointConfig{Zone: c.zone, SendDepth: pieces, RecvDepth: pieces})
	return c, err
}

func (c *client) close() error {
	return errors.Join(c.conn.Close(), c.messages.Free(), c.into.Free(), c.zone.Close())
}

// get copies a file to w. Pieces are asked for ahead, up to as many as there is memory for.
// They come in the order in which they were asked for, and one that is not full is the last.
func (c *client) get(ctx context.Context, file string, w io.Writer) error {
	asked, taken, ended := 0, 0, false
	var failed error
	for !ended || taken < asked {
		for !ended && asked < taken+pieces {
			if err := c.ask(ctx, file, asked); err != nil {
				return err
			}
			asked++
		}
		n, refusal, err := c.await(ctx, taken)
		switch {
		case err != nil:
			return err
		case refusal != nil:
			failed, ended = refusal, true
		case !ended:
			if _, err := w.Write(c.into.Bytes()[taken%pieces*pieceSize:][:n]); err != nil && failed == nil {
				failed, ended = err, true
			}
			ended = ended || n < pieceSize
		}
		taken++
	}
	return failed
}

// ask asks for the i-th piece. The receive for it is posted first.
func (c *client) ask(ctx context.Context, file string, i int) error {
	slot := i % pieces
	b, err := request{offset: int64(i) * pieceSize, to: c.into.Remote().Slice(slot*pieceSize, pieceSize), file: file}.marshal()
	if err != nil {
		return err
	}
	out, in := c.messages.Slice(2*slot*messageSize, len(b)), c.messages.Slice((2*slot+1)*messageSize, messageSize)
	copy(out.Bytes(), b)
	if err := c.conn.PostRecv(rdma.Recv{Into: in}); err != nil {
		return err
	}
	return c.conn.Send(ctx, out)
}

// await waits for the answer to the i-th request: n bytes in the memory of that piece, or a
// refusal.
func (c *client) await(ctx context.Context, i int) (n int, refusal, err error) {
	done, _, err := c.conn.RecvCompletions().Wait(ctx, 1)
	if err == nil {
		err = whyFailed(c.conn, &done)
	}
	switch {
	case err != nil:
		return 0, nil, err
	case done.Op == rdma.OpRecvWriteImm && done.Immediate <= pieceSize:
		return int(done.Immediate), nil, nil
	case done.Op == rdma.OpRecv:
		text := c.messages.Bytes()[(2*(i%pieces)+1)*messageSize:][:done.Length]
		return 0, fmt.Errorf("the server says: %s", text), nil
	}
	return 0, nil, fmt.Errorf("the server answers with %v", done)
}

// whyFailed is the reason why an operation failed; nil if it has not. The completion of a flushed operation says only that
// the connection has ended; the connection's context has the cause.
func whyFailed(conn *rdma.Conn, c *rdma.Completion) error {
	if c.Status != rdma.StatusFlushed {
		return c.Err()
	}
	<-conn.Context().Done() // it ends when everything is flushed
	return context.Cause(conn.Context())
}
