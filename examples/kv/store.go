package main

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// errFull is for a key whose nearby slots all belong to other keys.
var errFull = errors.New("no free slot near the key's place")

// changes is how many changes are held at a time, of all clients together. More wait.
const changes = 64

// store owns the table.
type store struct {
	zone     *rdma.Zone
	listener *rdma.Listener
	place    []byte      // of the table, encoded for clients
	changes  *rdma.Inbox // what clients send
	work     errgroup.Group
	stop     context.CancelFunc

	mu       sync.Mutex
	table    *mem.Region
	versions uint64
}

// open makes an empty store that listens at the address.
func open(ctx context.Context, adapter *rdma.Adapter, address string) (*store, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	s := &store{zone: zone}
	// Clients may read the table and access nothing else.
	if s.table, err = zone.Alloc((slots+nearby)*slotSize, mem.LocalRead|mem.RemoteRead); err != nil {
		return nil, err
	}
	if s.place, err = s.table.Remote().MarshalBinary(); err != nil {
		return nil, err
	}
	if s.changes, err = zone.NewInbox(rdma.InboxConfig{Receives: changes, Size: slotSize}); err != nil {
		return nil, err
	}
	if s.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.work.Go(func() error { return s.accept(ctx) })
	s.work.Go(func() error { return s.serve(ctx) })
	return s, nil
}

func (s *store) addr() string { return s.listener.Addr().String() }

// close stops the store. Closing the adapter frees the table.
func (s *store) close() error {
	s.stop()
	err := s.work.Wait()
	if errors.Is(err, rdma.ErrCanceled) || errors.Is(err, rdma.ErrTimeout) {
		err = nil // stopped, which is not an error of the store
	}
	return errors.Join(err, s.listener.Close())
}

// put stores a value. A client that reads the slot meanwhile sees that it is torn.
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

// accept connects clients, which get the place of the table as private data. A connection is
// closed when its client has left.
func (s *store) accept(ctx context.Context) error {
	config := rdma.EndpointConfig{Inbox: s.changes, SendDepth: 1, Private: s.place}
	for conn, err := range s.listener.AcceptAll(ctx, config) {
		if err != nil {
			return err
		}
		context.AfterFunc(conn.Context(), func() { conn.Close() })
	}
	return nil
}

// serve takes the changes of all clients. A message is a slot, whose version is ignored.
func (s *store) serve(ctx context.Context) error {
	var list [changes]rdma.Message
	for messages, err := range s.changes.Messages().Drain(ctx, list[:]) {
		if err != nil {
			return err
		}
		for _, m := range messages {
			s.work.Go(func() error { return s.reply(ctx, m) })
		}
	}
	return nil
}

// reply carries out one change and sends the answer from the memory of the message. The answer
// is empty, or says why the change was refused.
func (s *store) reply(ctx context.Context, m rdma.Message) error {
	if m.Err() == nil {
		out := m.Room()
		n := copy(out.Bytes(), s.change(m.Bytes()))
		err := m.Endpoint.Conn().Send(ctx, out.Slice(0, n))
		if ctx.Err() != nil {
			return err // the adapter may still use the memory
		}
	} // after any other error the client has left
	m.Release()
	return nil
}

// change carries out a message and returns the answer.
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
