package stream

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
)

// TestAwaitGone: the first Close has its second. Many in a row take little more together, and nothing is left when the
// connections have ended.
func TestAwaitGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		adapter, other := new(rdma.Adapter), new(rdma.Adapter)
		took := func(a *rdma.Adapter, gone chan struct{}) time.Duration {
			begun := time.Now()
			AwaitGone(a, gone)
			return time.Since(begun)
		}
		ended, dead := make(chan struct{}), make(chan struct{})
		close(ended)
		if d := took(adapter, ended); d != 0 {
			t.Errorf("Close of a connection that has ended took %v", d)
		}
		if d := took(adapter, dead); d != time.Second {
			t.Errorf("the first took %v", d)
		}
		var all time.Duration
		for range 50 {
			all += took(adapter, dead)
		}
		if all > 2*time.Second {
			t.Errorf("50 others took %v", all)
		}
		end := make(chan struct{})
		go func() {
			<-time.After(time.Millisecond)
			close(end)
		}()
		if d := took(adapter, end); d != time.Millisecond {
			t.Errorf("behind these, one that ends after a millisecond took %v", d)
		}
		if d := took(other, dead); d != time.Second {
			t.Errorf("the first of another adapter took %v", d)
		}
		close(dead)
		synctest.Wait()
		late := make(chan struct{})
		if d := took(adapter, late); d != time.Second {
			t.Errorf("one behind their end took %v", d)
		}
		close(late)
	})
}
