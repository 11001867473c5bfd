package main

import (
	"context"
	"errors"
	"log"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// errFull is for a key whose nearby slots all belong to other keys.
var errFull = errors.New("no free slot near the key's place")

// store owns the table.
type store struct {
	zone     *rdma.Zone
	listener *rdma.Listener
	place    []byte // of the table, as clients get it
	wait     sync.WaitGroup
	stop     context.CancelFunc

	mu       sync.Mutex
	table    *mem.Region
	versions uint64
}

// open makes an empty store that clients find at the address.
func open(ctx context.Context, adapter *rdma.Adapter, address string) (*store, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	s := &store{zone: zone}
	// Clients may read the table, and nothing else.
	if s.table, err = zone.Alloc((slots+nearby)*slotSize, mem.LocalRead|mem.RemoteRead); err != nil {
		return nil, err
	}
	if s.place, err = s.table.Remote().MarshalBinary(); err != nil {
		return nil, err
	}
	if s.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.wait.Go(func() {
		for request := range s.listener.Requests() {
			s.wait.Go(func() {
				if err := s.serve(ctx, request); err != nil && ctx.Err() == nil && !errors.Is(err, rdma.ErrDisconnected) {
					log.Print("kv: ", err)
				}
			})
		}
	})
	return s, nil
}

func (s *store) addr() string { return s.listener.Addr().String() }

// close ends what serves clients. The table ends with the adapter.
func (s *store) close() {
	_ = s.listener.Close()
	s.stop()
	s.wait.Wait()
}

// put stores a value. Those who read the slot meanwhile see that it is torn.
func (s *store) put(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := s.slotOf(key)
	if err != nil {
		return err
	}
	next, err := compose(s.versions+1, key, value)
	if err != nil {
		return err
	}
	s.versions++
	copy(at, next)
	return nil
}

// slotOf is the slot that has a key, or a free one near its place.
func (s *store) slotOf(key string) (free slot, err error) {
	begin := place(key) * slotSize
	for i := range nearby {
		at := slot(s.table.Bytes()[begin+i*slotSize:][:slotSize])
		_, k, _, err := at.read()
		switch {
		case err != nil:
			return nil, err
		case k == key:
			return at, nil
		case k == "" && free == nil:
			free = at
		}
	}
	if free == nil {
		return nil, errFull
	}
	return free, nil
}

// serve takes the changes of one client. A message is a slot of which the version does not
// matter; the answer is empty, or says why the change was refused.
func (s *store) serve(ctx context.Context, request *rdma.ConnRequest) error {
	memory, err := s.zone.Alloc(2*slotSize, mem.Local)
	if err != nil {
		return err
	}
	defer memory.Free()
	in, out := memory.Slice(0, slotSize), memory.Slice(slotSize, slotSize)
	endpoint, err := s.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: s.zone, RecvDepth: 1, SendDepth: 1})
	if err != nil {
		return err
	}
	defer endpoint.Close()
	// The receive is posted before the client can send, and again before it is answered.
	if err := endpoint.PostRecv(rdma.Recv{Into: in}); err != nil {
		return err
	}
	conn, err := request.AcceptOn(ctx, endpoint, rdma.ConnConfig{Private: s.place})
	if err != nil {
		return err
	}
	for {
		done, _, err := conn.RecvCompletions().Wait(ctx, 1)
		if err != nil {
			return err
		}
		if done.Err() != nil {
			return context.Cause(conn.Context()) // the client has gone
		}
		answer := copy(out.Bytes(), s.change(in.Bytes()[:done.Length]))
		if err := conn.PostRecv(rdma.Recv{Into: in}); err != nil {
			return err
		}
		if err := conn.Send(ctx, out.Slice(0, answer)); err != nil {
			return err
		}
	}
}

// change carries a message out, and tells what to answer.
func (s *store) change(message []byte) (refusal string) {
	if len(message) != slotSize {
		return "a change is a slot"
	}
	_, key, value, err := slot(message).read()
	if err == nil {
		err = s.put(key, value)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
