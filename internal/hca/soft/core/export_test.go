package core

import "github.com/godapl/godapl/internal/hca"

// Waiting is how many entries a shared receive queue has of connections that
// wait for a receive.
func Waiting(q hca.SRQ) int {
	s := q.(*SRQ)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// TryAccess makes an access and gives the address of the fault in it; 0 if there was none.
func TryAccess(access func()) uint64 { return Guard(access) }
