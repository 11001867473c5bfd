package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// replica has a copy of the log. Fields below wait belong to the goroutine that serves the
// leader, until close has returned.
type replica struct {
	zone     *rdma.Zone
	listener *rdma.Listener
	log      *mem.Region
	apply    func(entry []byte)
	stop     context.CancelFunc
	wait     sync.WaitGroup

	at, entries, batches int
	err                  error
}

// start creates a replica, which waits for its leader and applies the entries that the leader
// appends.
func start(ctx context.Context, adapter *rdma.Adapter, address string, apply func([]byte)) (*replica, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	r := &replica{zone: zone, apply: apply}
	if r.log, err = zone.Alloc(logSize, mem.LocalRead|mem.RemoteWrite); err != nil {
		return nil, err
	}
	if r.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, err
	}
	ctx, r.stop = context.WithCancel(ctx)
	r.wait.Go(func() {
		select {
		case request, ok := <-r.listener.Requests():
			if ok {
				r.err = r.follow(ctx, request)
			}
		case <-ctx.Done():
		}
	})
	return r, nil
}

func (r *replica) addr() string { return r.listener.Addr().String() }

// close waits until the leader's entries are applied, and ends the replica. The leader must
// have disconnected. A second close does nothing.
func (r *replica) close() {
	_ = r.listener.Close()
	r.wait.Wait()
	r.stop()
}

// follow takes entries until the leader disconnects.
func (r *replica) follow(ctx context.Context, request *rdma.ConnRequest) error {
	ack, err := r.zone.Alloc(ackSize, mem.LocalRead|mem.LocalWrite)
	if err != nil {
		return err
	}
	endpoint, err := r.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: r.zone, RecvDepth: window, SendDepth: 1})
	if err != nil {
		return err
	}
	defer endpoint.Close()
	// Each immediate data consumes a receive, which needs no memory. The receives are posted
	// before the leader writes.
	for range window {
		if err := endpoint.PostRecv(rdma.Recv{}); err != nil {
			return err
		}
	}
	place, err := r.log.Remote().MarshalBinary()
	if err != nil {
		return err
	}
	conn, err := request.AcceptOn(ctx, endpoint, rdma.ConnConfig{Private: place})
	if err != nil {
		return err
	}
	arrivals := conn.RecvCompletions().Batches(event.BatchConfig{Size: window, Threshold: 4, Within: time.Millisecond})
	defer conn.RecvCompletions().StopChan()
	for {
		select {
		case batch, ok := <-arrivals:
			if !ok {
				return conn.RecvCompletions().Err()
			}
			err := r.take(conn, batch.Events)
			batch.Release()
			switch {
			case err != nil && gone(conn):
				return nil // a flushed receive: there was nothing more
			case err != nil:
				return err
			}
			binary.BigEndian.PutUint64(ack.Bytes(), uint64(r.entries))
			if err := conn.Send(ctx, ack.Slice(0, ackSize)); err != nil && !gone(conn) {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// gone reports whether the leader has ended the connection in order. All its writes have then
// arrived.
func gone(conn *rdma.Conn) bool {
	return errors.Is(context.Cause(conn.Context()), rdma.ErrDisconnected)
}

// take applies the entries of a batch, and posts their receives again before they are
// acknowledged.
func (r *replica) take(conn *rdma.Conn, batch []rdma.Completion) error {
	r.batches++
	for _, done := range batch {
		if err := done.Err(); err != nil {
			return err
		}
		rest := r.log.Bytes()[r.at:]
		if uint64(done.Immediate) > uint64(len(rest)) {
			return fmt.Errorf("the leader says that an entry has %d bytes, and the log has room for %d", done.Immediate, len(rest))
		}
		entry := rest[:done.Immediate]
		r.apply(entry)
		r.at += len(entry)
		r.entries++
		if err := conn.PostRecv(rdma.Recv{}); err != nil {
			return err
		}
	}
	return nil
}
