package rdma_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestBurstsOnDevicesMustPay: a queue that says nothing of shared memory, as those of devices do not, is polled in bursts
// only while they find something.
func TestBurstsOnDevicesMustPay(t *testing.T) {
	const burst, waits = 100, 100
	f := &fake{}
	a := openFake(t, f)
	d := event.New[rdma.Completion](event.Config{Burst: burst})
	defer d.Close()
	q, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Sink: rdma.NewSink(d, func(to, c *rdma.Completion) { *to = *c })})
	must(t, err)
	defer q.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range waits {
		if _, _, err := d.Wait(over, 1); !errors.Is(err, rdma.ErrCanceled) {
			t.Fatal(err)
		}
	}
	if n := f.cqs[0].polls; n < burst || n > waits*burst/2 {
		t.Errorf("%d polls in %d waits that may have %d", n, waits, burst)
	}
}
