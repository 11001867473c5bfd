package mailbox_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestManyDialAtOnce: a thousand senders dial at the same time, as after a restart of the mailbox's process, and none
// is refused.
func TestManyDialAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
		must(t, err)
		b := listen(t, a, config{})
		begin := make(chan struct{})
		var dials sync.WaitGroup
		for range 1000 {
			dials.Go(func() {
				<-begin
				s, err := mailbox.Dial(t.Context(), a, b.Addr().String(), dialConfig{})
				if err != nil {
					t.Error(err)
					return
				}
				must(t, s.Close())
			})
		}
		synctest.Wait()
		close(begin)
		dials.Wait()
		must(t, b.Close())
		must(t, a.Close())
	})
}
