package main

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// follower is the leader's record of a replica. A replica that fails gets no more entries.
type follower struct {
	conn  *rdma.Conn
	log   mem.Remote  // the replica's memory
	acks  *mem.Region // receives of acknowledgements
	acked uint64      // number of entries that it has
	err   error       // why it gets no more entries
}

const ackSize = 8

// follow connects to a replica. There is a receive for the acknowledgement of each entry of
// the window.
func follow(ctx context.Context, zone *rdma.Zone, address string) (_ *follower, err error) {
	f := &follower{}
	if f.acks, err = zone.Alloc(window*ackSize, mem.LocalWrite); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // the leader closes the zone
			err = errors.Join(err, f.acks.Free())
		}
	}()
	if f.conn, err = zone.Adapter().Dial(ctx, address, rdma.EndpointConfig{Zone: zone, SendDepth: window, RecvDepth: window}); err != nil {
		return nil, err
	}
	for i := range uint64(window) {
		if err := f.receive(i); err != nil {
			return nil, errors.Join(err, f.conn.Close())
		}
	}
	if err := f.log.UnmarshalBinary(f.conn.PrivateData()); err != nil {
		return nil, errors.Join(err, f.conn.Close())
	}
	return f, nil
}

func (f *follower) close(ctx context.Context) error {
	return errors.Join(f.conn.Shutdown(ctx), f.conn.Close(), f.acks.Free())
}

func (f *follower) receive(i uint64) error {
	return f.conn.PostRecv(rdma.Recv{Into: f.acks.Slice(int(i)*ackSize, ackSize), Cookie: i})
}

// write appends to the replica's log. The immediate data wakes the replica and contains the
// length. The write needs no completion, since the acknowledgement proves more than that.
func (f *follower) write(entry mem.Slice, at int) {
	if f.err == nil {
		f.err = f.conn.PostWrite(rdma.Write{From: entry, To: f.log.Slice(at, entry.Len()),
			Immediate: uint32(entry.Len()), Flags: rdma.WithImmediate | rdma.NoCompletion})
	}
}

// take handles the acknowledgements that have arrived.
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
