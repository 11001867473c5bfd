package connreq

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// request is a connection request of a path, whose peer is at the other end of a pipe.
type request struct {
	Pending
	hca.ConnRequest // none: the adapter only looks whether it is one
	refused, closed int
	ended           atomic.Bool // the read of the watch
}

func (r *request) Close() error {
	r.closed++
	if r.Answer("reject") == nil {
		r.refused++
	}
	return nil
}

func begin(t *testing.T) (*core.Adapter, *request) {
	t.Helper()
	a, r := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{}), new(request)
	t.Cleanup(func() { a.Shutdown(func() {}) })
	if err := r.Begin(a, "accept", r); err != nil {
		t.Fatal(err)
	}
	return a, r
}

// watch has the request read from a pipe, and returns the end of the peer. gone counts how often the peer was seen to
// give up.
func watch(t *testing.T, r *request) (here, peer net.Conn, gone chan bool) {
	here, peer = net.Pipe()
	t.Cleanup(func() { here.Close(); peer.Close() })
	gone = make(chan bool, 2)
	r.Watch(here.SetReadDeadline, func() error {
		_, err := here.Read(make([]byte, 1))
		r.ended.Store(true)
		return err
	}, func() { gone <- true })
	return here, peer, gone
}

func TestAnsweredOnce(t *testing.T) {
	a, r := begin(t)
	if err := r.Answer("accept"); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer("reject"); !errors.Is(err, hca.State) {
		t.Errorf("the second answer: %v", err)
	}
	if r.GiveUp(func() { t.Error("dropped what is answered") }) {
		t.Error("given up after the answer")
	}
	if a.Shutdown(func() {}); r.closed != 0 {
		t.Error("the end of the adapter closed a request that is answered")
	}
}

func TestTheEndOfTheAdapterRefuses(t *testing.T) {
	a, r := begin(t)
	if a.Shutdown(func() {}); r.closed != 1 || r.refused != 1 {
		t.Errorf("closed %d times, refused %d times", r.closed, r.refused)
	}
	if err := r.Answer("accept"); !errors.Is(err, hca.State) {
		t.Error(err)
	}
	if err := new(request).Begin(a, "accept", r); !errors.Is(err, hca.Closed) {
		t.Errorf("a request of a closed adapter: %v", err)
	}
}

func TestGivenUpOnce(t *testing.T) {
	a, r := begin(t)
	var order []string
	r.OnLeave(func() { order = append(order, "first") })
	r.OnLeave(func() { order = append(order, "second") })
	drop := func() { order = append(order, "drop") }
	if !r.GiveUp(drop) || r.GiveUp(drop) {
		t.Error("given up not exactly once")
	}
	r.OnLeave(func() { order = append(order, "late") })
	if want := "[drop first second late]"; want != "["+join(order)+"]" {
		t.Errorf("%v, want %s", order, want)
	}
	if err := r.Answer("accept"); !errors.Is(err, hca.Refused) {
		t.Errorf("the answer to a peer that has gone: %v", err)
	}
	if a.Shutdown(func() {}); r.closed != 0 {
		t.Error("the end of the adapter closed a request that was given up")
	}
}

func join(words []string) (s string) {
	for i, w := range words {
		if i > 0 {
			s += " "
		}
		s += w
	}
	return s
}

// TestThePeerLeaves: the watch sees the end of the stream.
func TestThePeerLeaves(t *testing.T) {
	_, r := begin(t)
	_, peer, gone := watch(t, r)
	peer.Close()
	<-gone
	if err := r.Answer("accept"); !errors.Is(err, hca.Refused) {
		t.Error(err)
	}
}

// TestThePeerSends: something to read is no end.
func TestThePeerSends(t *testing.T) {
	_, r := begin(t)
	_, peer, gone := watch(t, r)
	if _, err := peer.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer("accept"); err != nil || len(gone) != 0 {
		t.Errorf("%v, seen to leave %d times", err, len(gone))
	}
}

// TestTheAnswerStopsTheWatch: the answer can read the stream, without a deadline, and the watch does not.
func TestTheAnswerStopsTheWatch(t *testing.T) {
	_, r := begin(t)
	here, peer, gone := watch(t, r)
	if err := r.Answer("accept"); err != nil {
		t.Fatal(err)
	}
	if !r.ended.Load() {
		t.Error("the watch still reads")
	}
	go peer.Write([]byte{7})
	b := make([]byte, 1)
	if _, err := here.Read(b); err != nil || b[0] != 7 || len(gone) != 0 {
		t.Errorf("%v, %v, seen to leave %d times", b, err, len(gone))
	}
}

// TestNoWatchWithoutDeadlines: a read that could not be stopped is not begun.
func TestNoWatchWithoutDeadlines(t *testing.T) {
	_, r := begin(t)
	r.Watch(func(time.Time) error { return os.ErrNoDeadline }, func() error { t.Error("it reads"); return nil }, func() {})
	if err := r.Answer("accept"); err != nil {
		t.Error(err)
	}
}

// TestNoWatchBehindTheEndOfTheAdapter, which may refuse a request before the watch begins. The race detector sees the two
// beside each other.
func TestNoWatchBehindTheEndOfTheAdapter(t *testing.T) {
	a, r := begin(t)
	r.Watch(func(time.Time) error { a.Shutdown(func() {}); return nil }, func() error { t.Error("it reads"); return nil }, func() {})
	if r.refused != 1 {
		t.Errorf("refused %d times", r.refused)
	}
	a, r = begin(t)
	over := make(chan struct{})
	go func() { defer close(over); a.Shutdown(func() {}) }()
	watch(t, r)
	<-over
}
