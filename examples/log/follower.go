package main

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// follower is what the leader knows of a replica. A replica that fails is left behind.
type follower struct {
	conn  *rdma.Conn
	log   mem.Remote  // the replica's memory
	acks  *mem.Region // receives of acknowledgements
	acked uint64      // entries that it has
	err   error       // why it is left behind
}

const ackSize = 8

// follow connects to a replica. An acknowledgement may come for each entry of the window.
func follow(ctx context.Context, zone *rdma.Zone, address string) (*follower, error) {
	f := &follower{}
	var err error
	if f.acks, err = zone.Alloc(window*ackSize, mem.LocalWrite); err != nil {
		return nil, err
	}
	if f.conn, err = zone.Adapter().Dial(ctx, address, rdma.EndpointConfig{Zone: zone, SendDepth: window, RecvDepth: window}); err != nil {
		return nil, err
	}
	for i := range uint64(window) {
		if err := f.receive(i); err != nil {
			return nil, err
		}
	}
	return f, f.log.UnmarshalBinary(f.conn.PrivateData())
}

func (f *follower) close(ctx context.Context) error {
	return errors.Join(f.conn.Shutdown(ctx), f.conn.Close(), f.acks.Free())
}

func (f *follower) receive(i uint64) error {
	return f.conn.PostRecv(rdma.Recv{Into: f.acks.Slice(int(i)*ackSize, ackSize), Cookie: i})
}

// write appends to the replica's log. The immediate data wakes the replica and tells it the
// length. Success needs no completion of its own: the acknowledgement tells more.
func (f *follower) write(entry mem.Slice, at int) {
	if f.err == nil {
		f.err = f.conn.PostWrite(rdma.Write{From: entry, To: f.log.Slice(at, entry.Len()),
			Immediate: uint32(entry.Len()), Flags: rdma.WithImmediate | rdma.NoCompletion})
	}
}

// take looks at the acknowledgements that have come.
func (f *follower) take() {
	var list [window]rdma.Completion
	for _, done := range list[:f.conn.RecvCompletions().Poll(list[:])] {
		if f.err == nil {
			f.err = done.Err()
		}
		if f.err == nil {
			f.acked = binary.BigEndian.Uint64(f.acks.Bytes()[done.Cookie*ackSize:])
			f.err = f.receive(done.Cookie)
		}
	}
}
