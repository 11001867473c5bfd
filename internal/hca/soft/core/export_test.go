package core

import (
	"github.com/godapl/godapl/internal/hca"
)

// Waiting is the number of connections that a shared receive queue lists as waiting for a receive.
func Waiting(q hca.SRQ) int {
	s := q.(*SRQ)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return len(s.waiting)
}
