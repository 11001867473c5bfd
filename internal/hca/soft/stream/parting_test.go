package stream_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
)

// halfClosing is a stream of which one direction can be closed; the peer does not learn of it.
type halfClosing struct {
	net.Conn
	gone chan time.Time // gets the time at which it was closed
}

func (h halfClosing) CloseWrite() error { return nil }

func (h halfClosing) Close() error {
	select {
	case h.gone <- time.Now():
	default: // a second call
	}
	return h.Conn.Close()
}

// partingEnd is a connection of a stream that can be half-closed, and the peer's end.
func partingEnd(t *testing.T) (*softtest.Lone, net.Conn, chan time.Time) {
	p, gone := softtest.NewPipes(), make(chan time.Time, 1)
	p.Ours = func(c net.Conn) net.Conn { return halfClosing{c, gone} }
	l, c := softtest.JoinedOver(t, p, true, hca.Options{})
	go softtest.DrainPipe(c)
	return l, c, gone
}

// disconnect ends the connection, and returns when it has reported the end.
func disconnect(t *testing.T, l *softtest.Lone, graceful bool) time.Time {
	t.Helper()
	if err := l.QP.Disconnect(graceful); err != nil {
		t.Fatal(err)
	}
	if ev := <-l.Events; ev.Kind != hca.EventDisconnected {
		t.Errorf("it ended so: %+v", ev)
	}
	return time.Now()
}

// TestAPartingStreamStaysOpen: the peer may get the last bytes late, and answer them, if the network takes long.
func TestAPartingStreamStaysOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, c, gone := partingEnd(t)
		over := disconnect(t, l, true)
		<-time.After(20 * time.Second)
		if _, err := c.Write(softtest.Nothing()); err != nil {
			t.Errorf("what the peer sends late: %v", err)
		}
		_ = c.Close()
		if d := (<-gone).Sub(over); d != 20*time.Second {
			t.Errorf("the stream was closed after %v, and the peer had closed it after 20 seconds", d)
		}
	})
}

// TestAPartingStreamIsClosed when a peer does not close it, sooner after an abrupt end or among many, and when the
// adapter closes.
func TestAPartingStreamIsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		graceful bool
		others   int32
		close    bool
		most     time.Duration
	}{
		"in order": {true, 0, false, 30 * time.Second},
		"abruptly": {false, 0, false, 2 * time.Second},
		"the last": {true, 255, false, 30 * time.Second},
		"too many": {true, 256, false, 2 * time.Second},
		"adapter":  {true, 0, true, time.Second / 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, _, gone := partingEnd(t)
			count := stream.Partings(l.A)
			count.Store(c.others)
			over := disconnect(t, l, c.graceful)
			if c.close {
				synctest.Wait()
				_ = l.QP.Close()
				if err := l.A.Close(); err != nil {
					t.Error(err)
				}
			}
			if d := (<-gone).Sub(over); d != c.most {
				t.Errorf("%s: closed after %v, want %v", name, d, c.most)
			}
			synctest.Wait()
			if n := count.Load(); n != c.others {
				t.Errorf("%s: %d streams are counted at the end, want %d", name, n, c.others)
			}
		})
	}
}
