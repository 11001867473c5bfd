package shm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/shm"
)

func itoa(n int) string { return strconv.Itoa(n) }

func someName(t testing.TB) string {
	return shm.ServiceName(netip.MustParseAddr("127.0.0.1"), uint64(os.Getpid())<<32|uint64(rand.Uint32()))
}

func pair(t testing.TB) (a, b *shm.Sock) {
	t.Helper()
	name := someName(t)
	l := made(shm.Listen(name))(t)
	defer l.Close()
	a = made(shm.Dial(t.Context(), name))(t)
	b = made(l.Accept())(t)
	t.Cleanup(func() { a.Close(); b.Close() })
	for _, s := range []*shm.Sock{a, b} {
		must(t, s.SetDeadline(time.Now().Add(20*time.Second)))
		if got := s.Peer(); got.PID != os.Getpid() || got.UID != os.Getuid() {
			t.Errorf("the peer is %+v, this process is %d of %d", got, os.Getpid(), os.Getuid())
		}
	}
	return a, b
}

func TestServiceNamesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, a := range []string{"127.0.0.1", "127.0.0.2", "::1", "fe80::1%eth0", "fe80::1%eth1"} {
		for _, s := range []uint64{0, 1, 1 << 16, 1 << 63, 1<<64 - 1} {
			what, name := fmt.Sprint(a, s), shm.ServiceName(netip.MustParseAddr(a), s)
			if seen[name] != "" || name[0] != '@' || len(name) > 100 {
				t.Errorf("%s and %s: %q", what, seen[name], name)
			}
			seen[name] = what
		}
	}
	if shm.ServiceName(netip.MustParseAddr("::ffff:10.0.0.1"), 5) != shm.ServiceName(netip.MustParseAddr("10.0.0.1"), 5) {
		t.Error("two forms of an address are two names")
	}
}

func TestListenOnce(t *testing.T) {
	name := someName(t)
	_, err := shm.Dial(t.Context(), name)
	wants(t, "Dial to nobody", err, shm.ErrNobody)
	l := made(shm.Listen(name))(t)
	_, err = shm.Listen(name)
	wants(t, "second Listen", err, shm.ErrInUse)
	var work sync.WaitGroup
	work.Go(func() {
		_, err := l.Accept()
		wants(t, "Accept", err, shm.ErrClosed)
	})
	must(t, l.Close())
	work.Wait()
	wants(t, "second Close", l.Close(), shm.ErrClosed)
	_, err = shm.Dial(t.Context(), name)
	wants(t, "Dial after Close", err, shm.ErrNobody)
	l = made(shm.Listen(name))(t)
	must(t, l.Close())
}

// TestDialWaitsForRoom: a full backlog is waited for as long as the context lasts.
func TestDialWaitsForRoom(t *testing.T) {
	name := someName(t)
	l := made(shm.Listen(name))(t)
	defer l.Close()
	var open []*shm.Sock
	defer func() {
		for _, s := range open {
			s.Close()
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	for {
		s, err := shm.Dial(ctx, name)
		if err != nil {
			// The socket's deadline may be noticed before the context's.
			if !errors.Is(err, shm.ErrAgain) && !errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
				t.Error(err)
			}
			break
		}
		open = append(open, s)
		if len(open) > 10000 {
			t.Skip("the backlog has no end here")
		}
	}
	done := make(chan error)
	go func() {
		s, err := shm.Dial(t.Context(), name)
		if err == nil {
			s.Close()
		}
		done <- err
	}()
	for range len(open) + 1 {
		s := made(l.Accept())(t)
		s.Close()
	}
	must(t, <-done)
}

// TestMessagesAndDescriptors: messages stay whole, in order, each with its own.
func TestMessagesAndDescriptors(t *testing.T) {
	a, b := pair(t)
	before := holdings(t)
	f := made(shm.CreateFile("test", int64(page), 0))(t)
	for n := range shm.MaxFDs + 1 {
		var fds []int
		for range n {
			fds = append(fds, f.FD())
		}
		must(t, a.Send([]byte(fmt.Sprint("message ", n)), fds...))
	}
	must(t, f.Close())
	buf := make([]byte, 100)
	for want := range shm.MaxFDs + 1 {
		n, fds, err := b.Recv(buf)
		must(t, err)
		if string(buf[:n]) != fmt.Sprint("message ", want) || len(fds) != want {
			t.Errorf("%q with %d descriptors, want %d", buf[:n], len(fds), want)
		}
		for _, fd := range fds {
			peer := made(shm.OpenFile(fd))(t)
			must(t, peer.Close())
		}
	}
	wants(t, "empty message", a.Send(nil), shm.ErrInvalid)
	wants(t, "too many descriptors", a.Send([]byte("x"), make([]int, shm.MaxFDs+1)...), shm.ErrInvalid)
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}

// TestUnfitMessages: an invalid message of a peer leaves no descriptor open.
func TestUnfitMessages(t *testing.T) {
	f := newFile(t, page)
	for name, c := range map[string]struct {
		bytes, fds int
		want       error
	}{
		"too long":                         {101, 0, shm.ErrUnfit},
		"too long, with descriptors":       {101, 3, shm.ErrUnfit},
		"one descriptor too many":          {5, shm.MaxFDs + 1, shm.ErrUnfit},
		"as many as go":                    {5, 253, shm.ErrUnfit},
		"empty, with descriptors":          {0, 3, io.EOF},
		"empty, with too many descriptors": {0, 200, shm.ErrUnfit},
	} {
		for _, detached := range []bool{false, true} {
			a, b := pair(t)
			fds := make([]int, c.fds)
			for i := range fds {
				fds[i] = f.FD()
			}
			sendRaw(t, a, make([]byte, c.bytes), fds)
			before := holdings(t)
			var err error
			var got []int
			if detached {
				fd := made(b.Detach())(t)
				_, got, err = shm.RecvFD(fd, make([]byte, 100))
				shm.CloseFD(fd)
				before.descriptors--
			} else {
				_, got, err = b.Recv(make([]byte, 100))
			}
			if !errors.Is(err, c.want) || got != nil {
				t.Errorf("%s, detached %v: %v, %v", name, detached, got, err)
			}
			if now := holdings(t); now != before {
				t.Errorf("%s, detached %v: left behind: %+v, before %+v", name, detached, now, before)
			}
		}
	}
}

// TestNoRoomForDescriptors: the error is ErrResources, and the connection continues.
func TestNoRoomForDescriptors(t *testing.T) {
	a, b := pair(t)
	f := newFile(t, page)
	buf := make([]byte, 10)
	must(t, a.Send([]byte("x"), f.FD(), f.FD(), f.FD()))
	t.Run("limited", func(t *testing.T) {
		before := holdings(t)
		noMoreDescriptors(t)
		_, fds, err := b.Recv(buf)
		wants(t, "Recv", err, shm.ErrResources)
		if fds != nil {
			t.Error(fds)
		}
		moreDescriptors(t)
		if now := holdings(t); now != before {
			t.Errorf("left behind: %+v, before %+v", now, before)
		}
	})
	must(t, a.Send([]byte("y")))
	if n, _, err := b.Recv(buf); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// TestHangUp: the end of the peer's socket or process is reported at once, after the messages
// that the peer has sent.
func TestHangUp(t *testing.T) {
	a, b := pair(t)
	buf := make([]byte, 10)
	must(t, a.Send([]byte("last")))
	must(t, a.Close())
	if n, _, err := b.Recv(buf); n != 4 || err != nil {
		t.Error(n, err)
	}
	if _, _, err := b.Recv(buf); err != io.EOF {
		t.Error(err)
	}
	wants(t, "Send", b.Send([]byte("x")), shm.ErrGone)
	wants(t, "second Close", a.Close(), shm.ErrClosed)
	wants(t, "Send after Close", a.Send([]byte("x")), shm.ErrClosed)
	_, _, err := a.Recv(buf)
	wants(t, "Recv after Close", err, shm.ErrClosed)
}

func TestDeadline(t *testing.T) {
	a, _ := pair(t)
	must(t, a.SetDeadline(time.Unix(1, 0)))
	_, _, err := a.Recv(make([]byte, 10))
	wants(t, "Recv", err, shm.ErrAgain)
	wants(t, "Recv", err, os.ErrDeadlineExceeded)
}

// TestDetached: detached sockets carry the same messages and never block.
func TestDetached(t *testing.T) {
	a, b := pair(t)
	before := holdings(t)
	fd := made(a.Detach())(t)
	wants(t, "Send on a socket that was taken", a.Send([]byte("x")), shm.ErrClosed)
	buf := make([]byte, 10)
	_, _, err := shm.RecvFD(fd, buf)
	wants(t, "RecvFD", err, shm.ErrAgain)
	f := newFile(t, page)
	must(t, shm.SendFD(fd, []byte("to b"), f.FD()))
	n, fds, err := b.Recv(buf)
	if string(buf[:n]) != "to b" || len(fds) != 1 || err != nil {
		t.Error(n, fds, err)
	}
	shm.CloseFD(fds[0])
	must(t, b.Send([]byte("to a"), f.FD()))
	n, fds, err = shm.RecvFD(fd, buf)
	if string(buf[:n]) != "to a" || len(fds) != 1 || err != nil {
		t.Error(n, fds, err)
	}
	shm.CloseFD(fds[0])
	for err = nil; err == nil; {
		err = shm.SendFD(fd, make([]byte, 1000))
	}
	wants(t, "SendFD without room", err, shm.ErrAgain)
	must(t, b.Close())
	if _, _, err := shm.RecvFD(fd, buf); err != io.EOF && !errors.Is(err, shm.ErrGone) {
		t.Error(err)
	}
	wants(t, "SendFD", shm.SendFD(fd, []byte("x")), shm.ErrGone)
	shm.CloseFD(fd)
	must(t, f.Close())
	before.descriptors -= 2
	if now := holdings(t); now != before {
		t.Errorf("left behind: %+v, before %+v", now, before)
	}
}
