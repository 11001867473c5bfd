package mailbox

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func loop(t *testing.T) (*rdma.Adapter, *rdma.Zone) {
	t.Helper()
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	zone, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	return a, zone
}

// TestMoreSlotsThanAddresses: a product that an int does not have is memory that there is not, and not a little memory.
func TestMoreSlotsThanAddresses(t *testing.T) {
	_, zone := loop(t)
	const count = math.MaxInt/8 + 2 // 16 times that is 16
	if _, err := newSlots(zone, count, 16, mem.Local); !errors.Is(err, rdma.ErrResources) {
		t.Errorf("slots: %v", err)
	}
	var b slabs
	if _, err := b.take(zone, count, 16); !errors.Is(err, rdma.ErrResources) {
		t.Errorf("receives: %v", err)
	}
	if n := area(1<<15, 1<<10); n != 1<<25 {
		t.Errorf("%d bytes", n)
	}
}

// TestBudgetWithoutLimit: the largest number as a limit is not exceeded.
func TestBudgetWithoutLimit(t *testing.T) {
	b := budget{limit: math.MaxInt}
	started := 0
	for range 3 {
		b.take(math.MaxInt/2, func() { started++ })
	}
	if started != 2 {
		t.Errorf("%d values of half of the limit are read", started)
	}
}

// TestAnswerOfManyLargeSlots: a mailbox may tell a sender to take more memory for its window than an int of 32 bits has.
// Dial fails then, and does not panic.
func TestAnswerOfManyLargeSlots(t *testing.T) {
	a, zone := loop(t)
	ln, err := a.Listen(t.Context(), "localhost:0", rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	const window = 4096
	answer := hello{window: window, asks: 1, bytes: maxSlot, slot: maxSlot, messages: 1, message: headerSize + maxSlot}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = (<-ln.Requests()).Accept(context.Background(), rdma.EndpointConfig{Zone: zone, Private: answer.marshal(helloSize)})
	}()
	s, err := Dial(t.Context(), a, ln.Addr().String(), DialConfig[string, None]{Window: window, Values: JSON[string]()})
	<-done
	switch {
	case err == nil:
		_ = s.Close()
	case !errors.Is(err, rdma.ErrResources):
		t.Error(err)
	}
}
