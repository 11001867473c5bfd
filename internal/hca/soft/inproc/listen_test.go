package inproc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestAllServicesAreTaken: when no service number is free any more, Listen says so, and others can go on.
func TestAllServicesAreTaken(t *testing.T) {
	e := softtest.NewEnd(t, "loop", 1, 64)
	cfg := hca.ListenConfig{Address: "localhost:0", OnRequest: func(hca.ConnRequest) bool { return false }}
	var l hca.Listener
	for range 16384 {
		next, err := e.A.Listen(context.Background(), cfg)
		if err != nil {
			break // another test of this process has one
		}
		l = next
	}
	if _, err := e.A.Listen(context.Background(), cfg); !errors.Is(err, hca.ServiceInUse) {
		t.Fatalf("one service more than there are: %v", err)
	}
	must(t, l.Close())
	if _, err := e.A.Listen(context.Background(), cfg); err != nil {
		t.Errorf("the service of a closed listener: %v", err)
	}
}
