package rdma_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// paths are the adapters that every test of behaviour runs on.
// RDMA_DEVICES names others, to run the tests on hardware.
var paths = func() []string {
	if names := strings.Fields(os.Getenv("RDMA_DEVICES")); len(names) > 0 {
		return names
	}
	return []string{"soft", "soft-loop", "soft-tcp"}
}()

// pathsAndShm are the paths, and shared memory alone where the system has it.
func pathsAndShm() []string {
	if soft(paths[0]) && runtime.GOOS == "linux" {
		return append(slices.Clone(paths), "soft-shm")
	}
	return paths
}

func onEveryPath(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// soft reports whether an adapter is the software adapter, by its name.
func soft(name string) bool { return strings.HasPrefix(name, "soft") }

// needsWindows skips where the adapter says it has none.
func needsWindows(t testing.TB, name string) {
	t.Helper()
	if c := open(t, name).Attributes().Caps; !c.ZoneWindows || !c.EndpointWindows {
		t.Skip(name + " has no windows")
	}
}

// iwarp tells an iWARP device: it has no immediate data.
func iwarp(t testing.TB, name string) bool {
	t.Helper()
	return !soft(name) && !open(t, name).Attributes().Caps.WriteImmediate
}

// unwaited skips what needs messages that wait for their receives.
func unwaited(t testing.TB, name string) {
	t.Helper()
	if iwarp(t, name) {
		t.Skip(name + " is iWARP: a message without a receive ends the connection")
	}
}

// private compares private data, which some transports fill up with zeros.
func private(a *rdma.Adapter, have []byte, want string) bool {
	if a.Attributes().PrivatePadded {
		have = bytes.TrimRight(have, "\x00")
	}
	return string(have) == want
}

// refusedHere is how a receive ends whose memory is not the zone's: devices do not
// always tell what about it failed.
func refusedHere(name string, st rdma.Status) bool {
	return st == rdma.StatusLocalProtection || !soft(name) && st == rdma.StatusLocalEndpoint
}

// patience bounds what must not take long. It is far more than needed.
const patience = 10 * time.Second

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// side is one side of a connection, with all it takes.
type side struct {
	adapter *rdma.Adapter
	zone    *rdma.Zone
	conn    *rdma.Conn
	mem     *mem.Region // 64 KiB with all rights
}

// open opens an adapter that is closed with the test.
func open(t testing.TB, name string) *rdma.Adapter {
	t.Helper()
	a, err := rdma.Open(within(t), name, rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// anywhere is an address of the adapter with a free service.
func anywhere(a *rdma.Adapter) string {
	if host := a.Attributes().Address; !soft(a.Name()) {
		return net.JoinHostPort(host, "0")
	}
	return "127.0.0.1:0"
}

func newSide(t testing.TB, name string) *side {
	t.Helper()
	return sideOf(t, open(t, name))
}

func sideOf(t testing.TB, a *rdma.Adapter) *side {
	t.Helper()
	s := &side{adapter: a}
	var err error
	if s.zone, err = s.adapter.NewZone(); err != nil {
		t.Fatal(err)
	}
	if s.mem, err = s.zone.Alloc(64<<10, mem.All); err != nil {
		t.Fatal(err)
	}
	return s
}

// connect makes two sides and connects them. The functions may change the
// configurations.
func connect(t testing.TB, name string, change ...func(active, passive *rdma.EndpointConfig)) (active, passive *side) {
	t.Helper()
	active, passive = newSide(t, name), newSide(t, name)
	a, p := rdma.EndpointConfig{Zone: active.zone}, rdma.EndpointConfig{Zone: passive.zone}
	for _, f := range change {
		f(&a, &p)
	}
	join(t, active, passive, a, p)
	return active, passive
}

func join(t testing.TB, active, passive *side, a, p rdma.EndpointConfig) {
	t.Helper()
	ln := listen(t, passive.adapter)
	accepted := make(chan error, 1)
	go func() {
		req, ok := <-ln.Requests()
		if !ok {
			accepted <- errors.New("no request came")
			return
		}
		var err error
		passive.conn, err = req.Accept(within(t), p)
		accepted <- err
	}()
	var err error
	if active.conn, err = active.adapter.Dial(within(t), ln.Addr().String(), a); err != nil {
		ln.Close()
		t.Fatal(err, <-accepted)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	ln.Close()
}

func listen(t testing.TB, a *rdma.Adapter) *rdma.Listener {
	t.Helper()
	ln, err := a.Listen(within(t), anywhere(a), rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code rdma.Code, what string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}
