package stream

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestTurnsInOrder: a call that comes back at once has its turn behind those that wait, and one that is refused
// meanwhile keeps no other waiting.
func TestTurnsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			mu      sync.Mutex
			s       Sides[int]
			order   []int
			refused bool
		)
		s.Init(&mu, event.New[int](event.Config{}), func([]int) {}, func(error) {})
		refuse := func() error {
			if refused {
				return errors.New("refused")
			}
			return nil
		}
		call := func(n int, refuse func() error) {
			if s.Enter(&s.Out, refuse) == nil {
				order = append(order, n)
				s.Exit(&s.Out)
			}
		}
		mu.Lock()
		if err := s.Enter(&s.Out, nil); err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 4; n++ {
			var f func() error
			if n%2 == 1 {
				f = refuse
			}
			mu.Unlock()
			go func() {
				mu.Lock()
				defer mu.Unlock()
				call(n, f)
			}()
			synctest.Wait()
			mu.Lock()
		}
		refused = true
		s.Wake(&s.Out)
		mu.Unlock()
		synctest.Wait()
		mu.Lock()
		s.Exit(&s.Out)
		call(5, nil)
		mu.Unlock()
		if !slices.Equal(order, []int{2, 4, 5}) {
			t.Errorf("the turns were %v", order)
		}
	})
}
