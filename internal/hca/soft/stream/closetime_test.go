package stream_test

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// A hurried stream's adapter closes right before the stream's deadline is set for the first time.
type hurried struct {
	net.Conn
	close func()
	once  sync.Once
	past  chan struct{} // closed when the adapter has set a deadline of its own
}

func (c *hurried) SetReadDeadline(at time.Time) error {
	c.once.Do(func() {
		c.close()
		<-c.past
	})
	return c.Conn.SetReadDeadline(at)
}

func (c *hurried) SetDeadline(at time.Time) error {
	err := c.Conn.SetDeadline(at)
	select {
	case <-c.past:
	default:
		close(c.past)
	}
	return err
}

// TestCloseMeetsASilentStream: an adapter that closes does not wait for the request of a stream that has just come.
func TestCloseMeetsASilentStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newCrowd(t, func(hca.ConnRequest) bool { return true })
		ours, theirs := net.Pipe()
		defer theirs.Close()
		closed := make(chan struct{})
		w.p.Accepted <- &hurried{Conn: ours, past: make(chan struct{}), close: func() {
			go func() {
				defer close(closed)
				w.close()
			}()
		}}
		begun := time.Now()
		<-closed
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
