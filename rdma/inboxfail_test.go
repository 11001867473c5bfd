package rdma_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// An inbox of which a part cannot be made is an error, and leaves nothing behind.
func TestAnInboxThatCannotBeMade(t *testing.T) {
	for _, call := range []rdmatest.Call{rdmatest.NewSharedReceiveQueue, rdmatest.NewCompletionQueue, rdmatest.RegisterMemory} {
		inboxFails(t, call)
	}
}

func inboxFails(t *testing.T, call rdmatest.Call) {
	var faults rdmatest.Faults
	remove, err := rdmatest.RegisterFaulty("test-inbox", "soft-loop", &faults)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	a, err := rdma.Open(t.Context(), "test-inbox", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	z, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	faults.Set(call, rdma.ErrResources)
	if b, err := z.NewInbox(rdma.InboxConfig{Receives: 4, Size: 64}); b != nil || !errors.Is(err, rdma.ErrResources) {
		t.Errorf("%v fails: %v, %v", call, b, err)
	}
	faults.Clear()
	if err := errors.Join(z.Close(), a.CloseIdle()); err != nil {
		t.Errorf("%v has failed: %v", call, err)
	}
}
