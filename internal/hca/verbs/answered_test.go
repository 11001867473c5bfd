package verbs

import (
	"sync"
	"testing"
)

// TestAnsweredRequestsThatEnd: requests that the peer has answered do not count while they end, either.
func TestAnsweredRequestsThatEnd(t *testing.T) {
	const n = lateSend
	var s sendQ
	s.late = n
	s.head.Store(n)
	s.answered.Store(n)
	for range 300 {
		s.done.Store(0)
		var device sync.WaitGroup
		device.Go(func() {
			for i := range uint64(n) {
				s.done.Store(i + 1)
			}
		})
		for s.done.Load() < n {
			if got := s.unanswered(); got != 0 {
				t.Errorf("%d requests count", got)
				device.Wait()
				return
			}
		}
		device.Wait()
	}
}
