package ping

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A server is one that runs in the background.
type server struct {
	port string
	out  bytes.Buffer // to be read after end
	errs bytes.Buffer
	stop context.CancelFunc
	err  chan error
	read sync.WaitGroup
}

func serve(t *testing.T, flags ...string) *server {
	t.Helper()
	s := &server{err: make(chan error, 1)}
	ctx, stop := context.WithCancel(within(t))
	s.stop = stop
	errs, w := io.Pipe()
	go func() {
		err := run(ctx, append([]string{"-s", "-a", "127.0.0.1", "-p", "0", "-A", "soft-tcp"}, flags...), &s.out, w)
		w.Close()
		s.err <- err
	}()
	first, err := bufio.NewReader(io.TeeReader(errs, &s.errs)).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(first), "waiting at ")
	if err != nil || !ok {
		t.Fatalf("the server says %q, %v", first, err)
	}
	s.read.Go(func() { _, _ = io.Copy(&s.errs, errs) })
	_, s.port, err = net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// end waits for the server to end by itself.
func (s *server) end(t *testing.T) error {
	t.Helper()
	defer s.stop()
	select {
	case err := <-s.err:
		s.read.Wait()
		return err
	case <-time.After(time.Minute):
		t.Fatal("the server does not end")
		return nil
	}
}

func client(t *testing.T, port string, flags ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	err := run(within(t), append([]string{"-c", "-a", "127.0.0.1", "-p", port, "-A", "soft-tcp"}, flags...), &out, &errs)
	return out.String(), err
}

func TestClientAndServer(t *testing.T) {
	for _, size := range []string{"23", "64", "1461", "65535"} {
		s := serve(t, "-vV")
		out, err := client(t, s.port, "-vV", "-C", "60", "-S"+size)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.end(t); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out, "\n"); n != 61 || !strings.HasPrefix(out, "ping data: rdma-ping-0: ABCDEFGHI") || !strings.Contains(out, "60 pings of "+size+" bytes") {
			t.Errorf("the client shows %d lines: %.100q", n, out)
		}
		if got := s.out.String(); strings.Count(got, "\n") != 60 || !strings.Contains(got, "\nserver ping data: rdma-ping-59: ") {
			t.Errorf("the server shows %.100q", got)
		}
	}
}

// Both in one process, which "soft" connects in memory.
func TestPersistentServer(t *testing.T) {
	s := serve(t, "-P", "-d")
	var clients sync.WaitGroup
	for range 5 {
		clients.Go(func() {
			if _, err := client(t, s.port, "-V", "-C", "10"); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	s.stop()
	if err := s.end(t); err != nil {
		t.Error(err)
	}
	if n := strings.Count(s.errs.String(), "has left after 10 pings"); n != 5 {
		t.Errorf("%d clients were served: %s", n, &s.errs)
	}
}

// A client that is interrupted says how far it got, and leaves. It has failed if that is not as far as it
// was to get. The time that it gives the ping under way passes in the bubble only if that ping stands still.
func TestInterruptedClient(t *testing.T) {
	for flag, want := range map[string]error{"-v": nil, "-C1000000000": context.Canceled} {
		synctest.Test(t, func(t *testing.T) { interruptClient(t, flag, want) })
	}
}

func interruptClient(t *testing.T, flag string, want error) {
	s := serve(t, "-Asoft-loop")
	ctx, interrupt := context.WithCancel(within(t))
	out, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-cv", flag, "-a127.0.0.1", "-p" + s.port, "-Asoft-loop"}, w, io.Discard)
		w.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(out)
	for range 20 {
		lines.Scan()
	}
	interrupt()
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if err := <-ended; err != want || !strings.Contains(last, " pings of 64 bytes") {
		t.Errorf("%s: %v, its last line is %q", flag, err, last)
	}
	if err := s.end(t); err != nil {
		t.Error(err)
	}
}

// A client without -C ends well when it is interrupted, also if that is because the server stands still.
func TestInterruptedBesideAStillServer(t *testing.T) {
	ctx, interrupt := context.WithCancel(within(t))
	defer interrupt()
	adapter, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{ReceiveWait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	zone, err := adapter.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-c", "-a127.0.0.1", "-p" + port, "-Asoft-loop"}, io.Discard, io.Discard)
	}()
	conn, err := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zone, ReadsIn: 1, ReadsOut: 1})
	if err != nil {
		t.Fatal(err)
	}
	for conn.Stats().ReceiveWaitNow == 0 { // the client's message
		runtime.Gosched()
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServerTakesNoLongerPings(t *testing.T) {
	s := serve(t, "-S", "64")
	if _, err := client(t, s.port, "-S", "65", "-C1"); err == nil || !strings.Contains(err.Error(), "-S") {
		t.Errorf("the client: %v", err)
	}
	if err := s.end(t); err == nil || !strings.Contains(err.Error(), "larger -S") {
		t.Errorf("the server: %v", err)
	}
}

// A server that writes back something else.
func TestClientFindsDamage(t *testing.T) {
	ctx := within(t)
	adapter, zone, ln := listen(t)
	served := make(chan error, 1)
	go func() {
		served <- func() error {
			l, err := newLine(adapter, zone)
			if err != nil {
				return err
			}
			if l.conn, err = (<-ln.Requests()).AcceptOn(ctx, l.Endpoint, rdma.ConnConfig{}); err != nil {
				return err
			}
			if _, err := l.receive(ctx); err != nil {
				return err
			}
			if err := l.sendGo(ctx); err != nil {
				return err
			}
			ad, err := l.receive(ctx)
			if err != nil {
				return err
			}
			if _, err := l.conn.Write(ctx, l.buf.Slice(0, 1), takeAd(ad).Slice(30, 1)); err != nil {
				return err
			}
			return l.sendGo(ctx)
		}()
	}()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	_, err := client(t, port, "-V", "-C1")
	if err == nil || !strings.Contains(err.Error(), "ping 0 came back damaged: byte 0 of 64") {
		t.Errorf("the client: %v", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A client that the server cannot serve is told so, and does not wait.
func TestServerWithoutRoom(t *testing.T) {
	ctx := within(t)
	adapter, zone, ln := listen(t)
	if err := zone.Close(); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		opt := &options{size: defaultSize}
		served <- opt.answer(ctx, adapter, zone, <-ln.Requests())
	}()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	if _, err := client(t, port, "-C1"); !errors.Is(err, rdma.ErrRejected) {
		t.Errorf("the client: %v", err)
	}
	if err := <-served; !errors.Is(err, rdma.ErrClosed) {
		t.Errorf("the server: %v", err)
	}
}

func listen(t *testing.T) (*rdma.Adapter, *rdma.Zone, *rdma.Listener) { return listenOn(t, "soft-tcp") }

func listenOn(t *testing.T, name string) (*rdma.Adapter, *rdma.Zone, *rdma.Listener) {
	t.Helper()
	adapter, err := rdma.Open(within(t), name, rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { adapter.Close() })
	zone, err := adapter.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return adapter, zone, ln
}

// stranger connects to a server with a line of its own, and has memory to lend.
func stranger(ctx context.Context, t *testing.T, s *server) (*line, *mem.Region) {
	t.Helper()
	adapter, zone, ln := listen(t)
	t.Cleanup(func() { ln.Close() })
	l, err := newLine(adapter, zone)
	if err != nil {
		t.Fatal(err)
	}
	lent, err := zone.Alloc(40, mem.Local|mem.RemoteRead)
	if err != nil {
		t.Fatal(err)
	}
	if l.conn, err = l.Connect(ctx, "127.0.0.1:"+s.port, rdma.ConnConfig{}); err != nil {
		t.Fatal(err)
	}
	return l, lent
}

// Clients that do not do what a client does.
func TestServerFindsNonsense(t *testing.T) {
	for want, misbehave := range map[string]func(context.Context, *line, *mem.Region) error{
		"a message of 5 bytes": func(ctx context.Context, l *line, lent *mem.Region) error {
			return l.conn.Send(ctx, l.buf.Slice(0, 5))
		},
		"reading the source": func(ctx context.Context, l *line, lent *mem.Region) error {
			return l.sendAd(ctx, mem.Remote{Addr: lent.Addr(), Key: lent.RemoteKey() + 1, Length: 40})
		},
		"not what a client sends: byte 0 of 40": func(ctx context.Context, l *line, lent *mem.Region) error {
			return l.sendAd(ctx, lent.Slice(0, 40).Remote())
		},
		"larger -S": func(ctx context.Context, l *line, lent *mem.Region) error {
			return l.sendAd(ctx, mem.Remote{Addr: lent.Addr(), Key: lent.RemoteKey(), Length: 1<<32 - 1})
		},
		"writing to the sink": func(ctx context.Context, l *line, lent *mem.Region) error {
			fillPing(lent.Bytes()[:40], 0)
			if err := l.sendAd(ctx, lent.Slice(0, 40).Remote()); err != nil {
				return err
			}
			if _, err := l.receive(ctx); err != nil {
				return err
			}
			return l.sendAd(ctx, lent.Slice(0, 39).Remote())
		},
	} {
		t.Run(want, func(t *testing.T) {
			ctx := within(t)
			s := serve(t, "-V")
			l, lent := stranger(ctx, t, s)
			if err := misbehave(ctx, l, lent); err != nil {
				t.Error(err)
			}
			if err := s.end(t); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the server: %v", err)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"":                       "either -s or -c",
		"-sc":                    "either -s or -c",
		"-c":                     "-a ADDRESS",
		"-c 10.0.0.1":            "comes after -a",
		"-c -a x -P":             "-P is for servers",
		"-c -a x -C -1":          "-C -1",
		"-c -a x -S 22":          "from 23 to 65535",
		"-s -S 65536":            "from 23 to 65535",
		"-s -p 65536":            "out of range",
		"-s -Z":                  "unknown shorthand flag: 'Z'",
		"-s -A nothing":          `nothing`,
		"-c -a 127.0.0.1 -p 1":   "refused",
		"-s -a 127.0.0.1 -p nix": "invalid",
	} {
		if err := run(within(t), strings.Fields(flags), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ping %s: %v, want %q", flags, err, want)
		}
	}
	var out, errs bytes.Buffer
	if err := run(within(t), []string{"-h"}, &out, &errs); err == nil || !strings.Contains(out.String(), "-S, --size bytes") || errs.Len() > 0 {
		t.Errorf("-h: %v, %s, %s", err, &out, &errs)
	}
}

// TestTerminal: what a peer sends does not reach the terminal as anything but text.
func TestTerminal(t *testing.T) {
	ctx := within(t)
	s := serve(t, "-v")
	l, lent := stranger(ctx, t, s)
	copy(lent.Bytes(), "be\x1b[2Jgone\n")
	if err := l.sendAd(ctx, lent.Slice(0, 40).Remote()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.receive(ctx); err != nil {
		t.Fatal(err)
	}
	if err := l.conn.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := s.end(t); err != nil {
		t.Error(err)
	}
	if got := s.out.String(); got != "server ping data: be[2Jgone\n" {
		t.Errorf("%q", got)
	}
}
