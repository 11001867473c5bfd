package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The error texts for common mistakes: what was called, what came of it, what to do, and none
// of it twice.
func TestErrorTexts(t *testing.T) {
	s := newSide(t, "soft-loop")
	idle, err := s.adapter.NewEndpoint(rdma.EndpointConfig{Zone: s.zone})
	must(t, err)
	stop, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("shutting down"))
	other := newSide(t, "soft-loop")
	for want, call := range map[string]func() error{
		"new endpoint of soft-loop: invalid parameter: Zone is of another adapter than the endpoint": func() error {
			_, err := s.adapter.NewEndpoint(rdma.EndpointConfig{Zone: other.zone})
			return err
		},
		"shut down endpoint #: wrong state: it is unconnected, so there is nothing to end": func() error {
			return idle.BeginShutdown()
		},
		"connect 127.0.0.1:7: canceled: the context had ended, so nothing was begun: shutting down": func() error {
			_, err := idle.Connect(stop, "127.0.0.1:7", rdma.ConnConfig{})
			return err
		},
		"listen :0: canceled: the context had ended, so nothing was begun: shutting down": func() error {
			_, err := s.adapter.Listen(stop, ":0", rdma.ListenConfig{})
			return err
		},
		"alloc 4096 bytes in zone # of soft-loop: invalid parameter: the rights 0x80 have unknown bits; those there are make 0x73": func() error {
			_, err := s.zone.Alloc(4096, mem.Rights(0x80))
			return err
		},
		fmt.Sprintf("wait for requests of endpoint #: invalid parameter: the threshold 0 is not in 1 to %d, which is what the queue holds", idle.SendCompletions().Cap()): func() error {
			_, _, err := idle.SendCompletions().Wait(t.Context(), 0)
			return err
		},
	} {
		if err := call(); err == nil || numberless(err) != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	// Numbers lead to the object.
	if err := idle.BeginShutdown(); !strings.Contains(err.Error(), strings.TrimSuffix(idle.String(), ", unconnected")+":") {
		t.Errorf("%v, of %v", err, idle)
	}
}

// numbers are those of objects.
var numbers = regexp.MustCompile(`\b(endpoint|zone|queue|region|window) \d+`)

// numberless is an error's text without them.
func numberless(err error) string { return numbers.ReplaceAllString(fmt.Sprint(err), "$1 #") }

// A call that its context ended says what has become of its operation.
func TestErrorTextsOfCalls(t *testing.T) {
	a, p := connect(t, "soft-loop")
	peer := "connection to " + a.conn.RemoteAddr().String()
	for what, call := range map[string]struct {
		want string
		do   func(context.Context) error
	}{
		"Recv": {"receive on " + peer + ": canceled: the receive stays posted, and the next Recv takes it over: enough", func(ctx context.Context) error {
			_, err := a.conn.Recv(ctx, a.mem.Slice(0, 8))
			return err
		}},
		"Send": {"send on " + peer + ": canceled: it was posted and goes on; its memory is the adapter's until it is done: enough", func(ctx context.Context) error {
			return a.conn.Send(ctx, a.mem.Slice(8, 8))
		}},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() { done <- call.do(ctx) }()
		for {
			requests, receives := a.conn.Outstanding()
			if what == "Send" && requests > 0 || what == "Recv" && receives > 0 {
				break
			}
			runtime.Gosched()
		}
		cancel(errors.New("enough"))
		if err := <-done; err == nil || err.Error() != call.want {
			t.Errorf("%s: %v\nwant %s", what, err, call.want)
		}
		if what == "Send" { // that it goes on is true
			if n, err := p.conn.Recv(within(t), p.mem.Slice(0, 8)); n != 8 || err != nil {
				t.Errorf("received %d bytes: %v", n, err)
			}
		}
	}
}

// A connection that the peer ended says so once, whatever is asked of it.
func TestErrorTextsOfAnEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a, p := connect(t, name)
		must(t, p.conn.Shutdown(within(t)))
		_, err := a.conn.Recv(within(t), a.mem.Slice(0, 8))
		end := "connection to " + a.conn.RemoteAddr().String() + ": disconnected"
		cause := context.Cause(a.conn.Context())
		if cause == nil {
			t.Fatal("the connection has not ended")
		}
		if soft(name) || cause.Error() != end { // devices do not always say whose doing it is
			end += ": the peer disconnected"
		}
		if cause.Error() != end {
			t.Errorf("%v\nwant %s", cause, end)
		}
		if err == nil || err.Error() != "receive on "+end {
			t.Errorf("%v\nwant receive on %s", err, end)
		}
	})
}

// A refused read says the same on every path. Over TCP the connection tells the peer's
// reason once, and what helps against it.
func TestErrorTextsOfARefusal(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		if !soft(name) {
			t.Skip("devices flush it, or have statuses of their own")
		}
		a, p := connect(t, name)
		there := p.mem.Slice(0, 8).Remote()
		there.Key ^= 1 << 20
		_, err := a.conn.Read(within(t), a.mem.Slice(0, 8), there)
		want := "read on connection to " + a.conn.RemoteAddr().String() + ": remote access error: the peer's memory was freed or unbound, lacks the right, is of another zone or shorter; ask the peer for a new key"
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		if !errors.Is(err, rdma.ErrWork) {
			t.Errorf("%v is not ErrWork", err)
		}
		if name != "soft-tcp" {
			return
		}
		<-a.conn.Context().Done()
		want = "connection to " + a.conn.RemoteAddr().String() + ": connection broken: the peer refused something and ended it; " +
			"the key is unknown there, or no longer good: ask the peer for a fresh one: RDMAP remote protection: invalid STag (0/1/0x00)"
		if cause := context.Cause(a.conn.Context()); cause.Error() != want {
			t.Errorf("%v\nwant %s", cause, want)
		}
	})
}

// Addresses that cannot be had say why.
func TestErrorTextsOfAddresses(t *testing.T) {
	a := open(t, "soft-tcp")
	ln := listen(t, a)
	for address, want := range map[string]struct {
		code rdma.Code
		text string
	}{
		ln.Addr().String(): {rdma.ErrServiceInUse, "this process or another one has that port; choose another port, or 0 for any free one"},
		"192.0.2.1:0":      {rdma.ErrBadAddress, "no network interface of this host has that address"},
		"127.0.0.1":        {rdma.ErrBadAddress, "an address looks like host:7471"},
		"127.0.0.1:ftp":    {rdma.ErrBadAddress, `the service "ftp" is not a number`},
	} {
		l, err := a.Listen(within(t), address, rdma.ListenConfig{})
		if err == nil {
			l.Close()
		}
		wantCode(t, err, want.code, address)
		if err != nil && !strings.Contains(err.Error(), want.text) {
			t.Errorf("%v\nwant %s", err, want.text)
		}
	}
	zone, err := a.NewZone()
	must(t, err)
	_, err = a.Dial(within(t), "127.0.0.1:0", rdma.EndpointConfig{Zone: zone})
	wantCode(t, err, rdma.ErrBadAddress, "127.0.0.1:0")
	if err != nil && !strings.Contains(err.Error(), "dial that of Listener.Addr") {
		t.Error(err)
	}
}

// errorPaths are those whose texts are held to the letter.
var errorPaths = func() (names []string) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		if has(name) {
			names = append(names, name)
		}
	}
	return names
}()

// has reports whether there is an adapter of that name.
func has(name string) bool { return slices.Contains(rdma.Adapters(), name) }
