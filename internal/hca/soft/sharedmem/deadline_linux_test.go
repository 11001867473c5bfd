package sharedmem

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// silent is a socket whose peer says nothing. end is called when it gets a deadline in the future; what ends the deadline
// at once because of that may come first.
type silent struct {
	neighbour.Socket
	end  func()
	once sync.Once
	over chan struct{} // the deadline has been in the past
	last chan struct{} // it is
}

func newSilent(end func()) *silent {
	return &silent{end: end, over: make(chan struct{}), last: make(chan struct{}, 1)}
}

func (s *silent) SetDeadline(d time.Time) error {
	if d.After(time.Now()) {
		s.end()
		select {
		case <-s.over:
		case <-time.After(100 * time.Millisecond):
		}
		select {
		case <-s.last:
		default:
		}
	} else if !d.IsZero() {
		s.last <- struct{}{}
		s.once.Do(func() { close(s.over) })
	}
	return nil
}

func (s *silent) Recv([]byte) (int, []int, error) {
	select {
	case <-s.last:
		return 0, nil, os.ErrDeadlineExceeded
	case <-time.After(5 * time.Second):
		return 0, nil, io.EOF
	}
}

func (s *silent) Send([]byte, ...int) error     { return nil }
func (s *silent) Close() error                  { return nil }
func (s *silent) Peer() shm.Credentials         { return shm.Credentials{PID: os.Getpid()} }
func (s *silent) Names() (local, remote string) { return "this", "silent" }

// TestAnAcceptEndsWithItsContext also if that ends just before the peer gets its time for the first frame.
func TestAnAcceptEndsWithItsContext(t *testing.T) {
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	p := NewPath(a, nil)
	defer a.Shutdown(p.Close)
	q := loneQP(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	directory, err := p.directoryFD()
	if err != nil {
		t.Fatal(err)
	}
	event, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	sock := newSilent(cancel)
	r := &request{p: p, l: &core.Listener{Adapter: a}, sock: sock, hello: new(neighbour.Hello), doorbell: event, directory: directory}
	if err := r.Begin(a, "listen", r); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := r.Accept(ctx, q, hca.ConnParams{}); !errors.Is(err, context.Canceled) || time.Since(began) > 4*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// TestARequestEndsWithTheAdapter also if that ends just before the peer gets its time for the request.
func TestARequestEndsWithTheAdapter(t *testing.T) {
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	p := NewPath(a, nil)
	ended := make(chan struct{})
	var once sync.Once
	sock := newSilent(func() {
		once.Do(func() {
			go func() { a.Shutdown(p.Close); close(ended) }()
			<-a.Background.Context().Done()
		})
	})
	s := &listener{p: p, l: &core.Listener{Adapter: a}}
	began := time.Now()
	s.handleRequest(p.halfOpen.Enter(sock))
	if time.Since(began) > 4*time.Second {
		t.Error("the end of the adapter was ignored")
	}
	<-ended
}
