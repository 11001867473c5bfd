package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// looked is a transport that tells when a post looks for room.
type looked struct {
	Transport
	look chan struct{}
}

func (l *looked) MakeRoom() { l.look <- struct{}{} }

// TestAFullPostWaitsForWhoSends: a goroutine has sent the only request of a queue, and the peer has it, but it
// has not completed the request yet. The next post waits for that, whether or not the goroutine has left the
// gate when the post looks there.
func TestAFullPostWaitsForWhoSends(t *testing.T) {
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	defer a.Shutdown(func() {})
	pd, _ := a.NewPD()
	queue, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: queue, RecvCQ: queue, SendDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	q, c := made.(*QP), &looked{look: make(chan struct{})}
	var link Transport = c
	q.transport.Store(&link)
	defer q.transport.Store(nil)
	for range 10_000 {
		if counted, inside := q.Tx.CountIn(1); !counted || !inside {
			t.Fatalf("the first post: counted %v, inside %v", counted, inside)
		}
		posted := make(chan bool)
		go func() {
			inside, err := q.CountPost()
			if inside {
				q.Tx.Leave()
			}
			posted <- err == nil
		}()
		<-c.look
		q.Completed(0, 0, hca.OpSend, 0)
		if !<-posted {
			t.Fatal("a post was refused although nothing was under way")
		}
		q.Tx.Uncount(1)
		for queue.Poll(make([]hca.WC, 4)) > 0 {
		}
	}
}
