package core

import "github.com/godapl/godapl/internal/hca"

// Waiting is the number of connections that a shared receive queue lists as waiting for a receive.
func Waiting(q hca.SRQ) int {
	s := q.(*SRQ)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// TryAccess runs an access, and returns the address of its fault; 0 if there was none.
func TryAccess(access func()) uint64 { return Guard(access) }
