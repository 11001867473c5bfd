package rdma

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// berth is a parker that calls next once it is free, as the next owner may run at once.
type berth struct {
	hca.Parker
	next   func()
	others bool // what the last owner has said
}

func (b *berth) Gather(hca.Parker) bool { return true }
func (b *berth) Depart()                { b.free(false) }
func (b *berth) ReleasePark(others bool) {
	b.free(others)
}

func (b *berth) free(others bool) {
	b.others = others
	if f := b.next; f != nil {
		b.next = nil
		f()
	}
}

// TestTheNextOwnerKeepsItsGuests: it may have come, and gathered them, before the former one has looked after its own.
func TestTheNextOwnerKeepsItsGuests(t *testing.T) {
	host := new(berth)
	p := &waiterParker{Parker: host, q: new(CompletionQueue)}
	first := &waiterParker{Parker: new(berth), q: new(CompletionQueue)}
	second := &waiterParker{Parker: new(berth), q: new(CompletionQueue)}
	second.q.waiting.Store(1) // a call waits for it
	if !p.Gather(first) {
		t.Fatal("the first owner gathers nobody")
	}
	host.next = func() {
		if !p.Gather(second) {
			t.Error("the second owner gathers nobody")
		}
	}
	p.Part(true)
	if host.others {
		t.Error("the first owner says that others wait")
	}
	p.Part(true)
	if !host.others {
		t.Error("the second owner has lost its guest, for which a call waits")
	}
}
