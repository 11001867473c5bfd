package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// own is the owner's side, from beginning to end.
func own(ctx context.Context, name, address, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)

	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}

	// The slice itself is registered; it stays where it is until the region is
	// freed. Peers may read it and do nothing else. The byte more is for an
	// empty file: there is no empty region.
	region, err := zone.Register(append(data, 0), mem.LocalRead|mem.RemoteRead)
	if err != nil {
		return err
	}
	where, err := region.Slice(0, len(data)).Remote().MarshalBinary()
	if err != nil {
		return err
	}

	// Messages need a receive to arrive in. This endpoint has one before it is
	// connected, so that the reader's first message finds it. There are two
	// places for messages: while one is answered, the other is posted.
	messages, err := zone.Alloc(2*sha256.Size, mem.Local)
	if err != nil {
		return err
	}
	endpoint, err := adapter.NewEndpoint(rdma.EndpointConfig{Zone: zone})
	if err != nil {
		return err
	}
	place := func(i uint64) mem.Slice { return messages.Slice(int(i)*sha256.Size, sha256.Size) }
	if err := endpoint.PostRecv(rdma.Recv{Into: place(0), Cookie: 0}); err != nil {
		return err
	}
	conn, err := endpoint.Connect(ctx, address, rdma.ConnConfig{Private: where})
	if err != nil {
		return err
	}
	defer conn.Close()

	// The reader now takes the file, and nothing has to be done for that here.
	// Its first message is the sum of what it got: it is answered with ours.
	// All others are pings, answered with themselves, until the reader goes.
	for n := 0; ; n++ {
		c, _, err := conn.RecvCompletions().Wait(ctx, 1)
		if err != nil {
			return err
		}
		if c.Err() != nil {
			return goodbye(n, whyFailed(conn, &c))
		}
		if err := conn.PostRecv(rdma.Recv{Into: place(1 - c.Cookie), Cookie: 1 - c.Cookie}); err != nil {
			return err
		}
		answer := place(c.Cookie).Slice(0, c.Length)
		if n == 0 {
			damage := compare(sum[:], answer.Bytes())
			answer = place(c.Cookie)
			copy(answer.Bytes(), sum[:])
			if damage != nil {
				return errors.Join(damage, conn.Send(ctx, answer), conn.Shutdown(ctx))
			}
		}
		if err := conn.Send(ctx, answer); err != nil {
			return goodbye(n, err)
		}
	}
}

// goodbye judges the end of the connection after n messages: in order, and after
// the file was found to be whole, it is what is wanted.
func goodbye(n int, why error) error {
	if n > 0 && errors.Is(why, rdma.ErrDisconnected) {
		return nil
	}
	return fmt.Errorf("the reader is gone: %w", why)
}
