package sharedmem_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// TestSilentDialersLeaveRoom: as many processes as may be without a request have connected and say nothing. The oldest
// makes room for a process that asks.
func TestSilentDialersLeaveRoom(t *testing.T) {
	reasons := make(chan string, 2*halfopen.Most)
	a, b := softtest.NewEnd(t, "shm", 16, 4096), softtest.NewEndWith(t, "shm", 16, 4096, hca.Options{Refused: func(_ string, err error) {
		reasons <- err.Error()
	}})
	l, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() { _ = r.Reject([]byte("heard")) }()
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	name, _ := serviceName(t, l.Addr())
	for range halfopen.Most {
		sock, err := shm.Dial(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer sock.Close()
	}
	qp, err := a.A.NewQP(hca.QPConfig{PD: a.PD, SendCQ: a.SendCQ, RecvCQ: a.RecvCQ, SendDepth: 4, RecvDepth: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer qp.Close()
	if err := qp.Connect(t.Context(), l.Addr(), hca.ConnParams{}); err == nil || err.(*hca.Error).Code != hca.Rejected {
		t.Errorf("the process that asks: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	select {
	case why := <-reasons:
		if !strings.Contains(why, halfopen.ErrEvicted.Error()) {
			t.Errorf("the operator has heard %q", why)
		}
	case <-time.After(30 * time.Second):
		t.Error("the operator has heard nothing")
	}
}
