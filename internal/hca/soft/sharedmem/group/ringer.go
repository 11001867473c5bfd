package group

import (
	"sync"

	"github.com/godapl/godapl/internal/shm"
)

// Ringers are the groups of peers that connections of an adapter belong to. Each is opened once.
type Ringers struct {
	mu       sync.Mutex
	of       map[peerGroup]*ringer
	unshared uint64 // how many were for unknown processes
}

// A peerGroup identifies a group: its process, and its number there.
type peerGroup struct {
	Process  Process
	Number   uint64
	unshared uint64 // distinguishes those of unknown processes
}

// A Process is another process of this host.
type Process struct {
	PID    int      // 0: unknown, since it is in another namespace
	Secret [16]byte // of its hellos
}

// A ringer rings a peer's group. Each connection that uses it closes it.
type ringer struct {
	of    *Ringers
	key   peerGroup
	page  page
	event int
	users int // guarded by of.mu
}

// open takes over the descriptors of a group's page and of its event, as they came from the peer.
func (s *Ringers) open(key peerGroup, memory, event int) (*ringer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key.Process.PID == 0 {
		s.unshared++
		key.unshared = s.unshared
	}
	r := s.of[key]
	if r != nil {
		shm.CloseFD(memory)
		shm.CloseFD(event)
		r.users++
		return r, nil
	}
	if err := shm.CheckEvent(event); err != nil {
		shm.CloseFD(memory)
		shm.CloseFD(event)
		return nil, err
	}
	p, err := openPage(shm.OpenSegment(memory, pageSize, shm.ReadWrite))
	if err != nil {
		shm.CloseFD(event)
		return nil, err
	}
	_ = p.seg.CloseFile()
	r = &ringer{of: s, key: key, page: p, event: event, users: 1}
	if s.of == nil {
		s.of = make(map[peerGroup]*ringer)
	}
	s.of[key] = r
	return r, nil
}

// flag is that of the connection with this slot, if a group can have it.
func (r *ringer) flag(slot uint32) (f shm.Flag, ok bool) {
	if slot >= Most {
		return f, false
	}
	return r.page.flag(int(slot)), true
}

// ring wakes the group if it sleeps. The caller has published frames of the connection that the flag belongs to.
func (r *ringer) ring(flag shm.Flag) { _ = r.page.bell.RingFor(flag, r.event) }

// A bell is what one connection rings: its flag at a ringer. The zero value is none.
type bell struct {
	*ringer
	flag shm.Flag
}

// ring wakes the peer if it sleeps. It returns false if there is no bell.
func (b *bell) ring() bool {
	if b.ringer == nil {
		return false
	}
	b.ringer.ring(b.flag)
	return true
}

// close gives the bell up. Nothing happens the second time.
func (b *bell) close() {
	if b.ringer != nil {
		b.ringer.close()
		b.ringer = nil
	}
}

// close releases the ringer for one connection, which does not ring any more.
func (r *ringer) close() {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.users--; r.users == 0 {
		delete(r.of.of, r.key)
		_ = r.page.seg.Close()
		shm.CloseFD(r.event)
	}
}
