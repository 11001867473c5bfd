package soft

import "github.com/godapl/godapl/internal/hca"

// Waiting is how many entries a shared receive queue has of connections that
// wait for a receive.
func Waiting(q hca.SRQ) int {
	s := q.(*srq)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}
