package interop_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// cmatoseClientVariable is the address at which to listen for ucmatose.
const cmatoseClientVariable = "GODAPL_INTEROP_CMATOSE_AT"

// TestCmatoseClient serves ucmatose. As a client, ucmatose waits for the server's first
// message. Over iWARP a server must not send first, and the device sends nothing by itself.
// So ucmatose exchanges no messages; or it waits for some until it is ended; or the server
// is told to send first after a while.
func TestCmatoseClient(t *testing.T) {
	address := os.Getenv(cmatoseClientVariable)
	if address == "" {
		t.Skip("no " + cmatoseClientVariable)
	}
	host, port, err := net.SplitHostPort(address)
	ok(t, err)
	a := worlds[0].adapter
	var ln *rdma.Listener
	listen := func(t *testing.T, cfg rdma.ListenConfig) {
		ln, err = a.Listen(within(t), address, cfg)
		ok(t, err)
		t.Cleanup(func() { ln.Close() })
	}
	const messages, size = 10, 100
	accept := func() *link {
		t.Helper()
		l, err := newLink(a, size, messages)
		ok(t, err)
		select {
		case r := <-ln.Requests():
			l.conn, err = r.AcceptOn(within(t), l.Endpoint, rdma.ConnConfig{})
			ok(t, err)
		case <-within(t).Done():
			t.Fatal("no request comes")
		}
		return l
	}
	start := func(ctx context.Context, options ...string) (wait func() (string, error)) {
		t.Helper()
		var out strings.Builder
		client := exec.CommandContext(ctx, "ucmatose", append(options, "-s", host, "-p", port)...)
		client.Stdout, client.Stderr = &out, &out
		ok(t, client.Start())
		return func() (string, error) { err := client.Wait(); return out.String(), err }
	}

	t.Run("no messages", func(t *testing.T) {
		listen(t, rdma.ListenConfig{})
		wait := start(within(t), "-c", "5", "-C", "0")
		var all []*link
		for range 5 {
			all = append(all, accept())
		}
		for _, l := range all { // the server begins the end, too
			ok(t, l.conn.Shutdown(within(t)))
			if err := l.cause(within(t)); !errors.Is(err, rdma.ErrDisconnected) {
				t.Errorf("the end: %v", err)
			}
			l.close()
		}
		if out, err := wait(); err != nil || !strings.Contains(out, "return status 0") {
			t.Errorf("ucmatose: %v\n%s", err, out)
		}
	})
	t.Run("messages", func(t *testing.T) {
		listen(t, rdma.ListenConfig{Interop: rdma.Interop{SpeakAfter: 50 * time.Millisecond}})
		wait := start(within(t), "-C", "10")
		l := accept()
		defer l.close()
		for range messages {
			ok(t, l.conn.Send(within(t), l.out.Slice(0, size)))
		}
		for i := range messages {
			m, _, err := l.next(within(t))
			if err != nil || m.Len() != size {
				t.Fatalf("message %d: %d bytes, %v", i, m.Len(), err)
			}
		}
		ok(t, l.conn.Shutdown(within(t))) // which the client waits for
		if out, err := wait(); err != nil || !strings.Contains(out, "return status 0") {
			t.Errorf("ucmatose: %v\n%s", err, out)
		}
	})
	t.Run("messages that cannot be sent", func(t *testing.T) {
		listen(t, rdma.ListenConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		wait := start(ctx, "-C", "10")
		l := accept()
		defer l.close()
		for i := range messages {
			ok(t, l.conn.PostSend(rdma.Send{From: l.out.Slice(0, size), Cookie: uint64(i)}))
		}
		defer time.AfterFunc(3*time.Second, cancel).Stop() // the client waits for messages until it is ended
		// Each completes when the client has been ended, once and in order.
		for i := range messages {
			c, _, err := l.SendCompletions().Wait(within(t), 1)
			ok(t, err)
			if c.Cookie != uint64(i) || c.Err() == nil {
				t.Errorf("completion %d: cookie %d, %v", i, c.Cookie, c.Err())
			}
		}
		if out, err := wait(); err == nil {
			t.Errorf("ucmatose got what it waited for:\n%s", out)
		}
		var more [1]rdma.Completion
		if n := l.SendCompletions().Poll(more[:]); n != 0 {
			t.Errorf("a completion too many: %+v", more[0])
		}
	})
}
