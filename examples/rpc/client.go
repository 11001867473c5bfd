package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// ask makes calls, one after the other, and checks the answers.
func ask(ctx context.Context, adapter *rdma.Adapter, address string, client, calls int) (err error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	memory, err := zone.Alloc(2*messageSize, mem.Local)
	if err != nil {
		return err
	}
	conn, err := adapter.Dial(ctx, address, rdma.EndpointConfig{Zone: zone, SendDepth: 1, RecvDepth: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(), memory.Free(), zone.Close()) }()
	for i := range calls {
		question := fmt.Appendf(nil, "call %d of client %d", i, client)
		answer, err := call(ctx, conn, memory, question)
		if err != nil {
			return fmt.Errorf("client %d, call %d: %w", client, i, errors.Join(err, context.Cause(conn.Context())))
		}
		if !bytes.Equal(answer, bytes.ToUpper(question)) {
			return fmt.Errorf("client %d asked %q and got %q", client, question, answer)
		}
	}
	return nil
}

// call sends a question and waits for its answer, which is valid until the next call.
// The receive is posted first, so that the answer finds it.
func call(ctx context.Context, conn *rdma.Conn, memory *mem.Region, question []byte) ([]byte, error) {
	ours, theirs := memory.Slice(0, len(question)), memory.Slice(messageSize, messageSize)
	copy(ours.Bytes(), question)
	if err := conn.PostRecv(rdma.Recv{Into: theirs}); err != nil {
		return nil, err
	}
	if err := conn.Send(ctx, ours); err != nil {
		return nil, err
	}
	done, _, err := conn.RecvCompletions().Wait(ctx, 1)
	if err == nil {
		err = done.Err()
	}
	return theirs.Bytes()[:done.Length], err
}
