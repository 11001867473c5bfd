package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// client is one connection to a store. It belongs to one goroutine.
type client struct {
	zone   *rdma.Zone
	conn   *rdma.Conn
	table  mem.Remote
	memory *mem.Region
	torn   int64 // reads that were repeated
}

func dial(ctx context.Context, adapter *rdma.Adapter, address string) (*client, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	c := &client{zone: zone}
	if c.memory, err = zone.Alloc((nearby+2)*slotSize, mem.Local); err != nil {
		return nil, err
	}
	if c.conn, err = adapter.Dial(ctx, address, rdma.EndpointConfig{Zone: zone}); err != nil {
		return nil, err
	}
	return c, c.table.UnmarshalBinary(c.conn.PrivateData())
}

func (c *client) close() error {
	return errors.Join(c.conn.Close(), c.memory.Free(), c.zone.Close())
}

// get reads a value out of the store's memory.
func (c *client) get(ctx context.Context, key string) (value string, version uint64, err error) {
	into := c.memory.Slice(0, nearby*slotSize)
	from := c.table.Slice(place(key)*slotSize, nearby*slotSize)
	for {
		if _, err := c.conn.Read(ctx, into, from); err != nil {
			return "", 0, err
		}
		value, version, err = find(into.Bytes(), key)
		if err != errTorn {
			return value, version, err
		}
		c.torn++
	}
}

// put sends a change and waits for the answer, whose receive is posted first.
func (c *client) put(ctx context.Context, key, value string) error {
	change, err := compose(0, key, value)
	if err != nil {
		return err
	}
	out, in := c.memory.Slice(nearby*slotSize, slotSize), c.memory.Slice((nearby+1)*slotSize, slotSize)
	copy(out.Bytes(), change)
	if err := c.conn.PostRecv(rdma.Recv{Into: in}); err != nil {
		return err
	}
	if err := c.conn.Send(ctx, out); err != nil {
		return err
	}
	done, _, err := c.conn.RecvCompletions().Wait(ctx, 1)
	if err == nil {
		err = done.Err()
	}
	if err == nil && done.Length > 0 {
		err = fmt.Errorf("the store refused %q: %s", key, in.Bytes()[:done.Length])
	}
	return err
}
