package peers_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestHalfAFirstFrame: a peer that was accepted and sends a part of its first frame delays no other connection's end.
func TestHalfAFirstFrame(t *testing.T) {
	t.Parallel()
	s := newBare(t, soft.Driver("tcp"), hca.Options{})
	v := s.listen(t)
	p := dial(t, v.address())
	p.sendRequest(responder.frame)
	e := s.endpoint(t, depths{4, 4})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	req := v.request()
	go func() { result <- req.Accept(ctx, e.qp, hca.ConnParams{}) }()
	p.takeReply()
	p.write(write(1, 0, "")[:7])
	least := time.Hour
	for range 3 { // the first end may find the bytes before they are looked at
		other, _ := s.open(t, initiator, depths{4, 4})
		begun := time.Now()
		other.close()
		least = min(least, time.Since(begun))
	}
	if least > time.Second/2 {
		t.Errorf("each end of another connection took %v or longer", least)
	}
	cancel()
	if err := <-result; err == nil {
		t.Error("half a frame made a connection")
	}
}
