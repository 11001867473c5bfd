package integration_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// paths are the adapters that tests without a peer process run on.
var paths = []string{"soft", "soft-loop", "soft-tcp"}

// patience is the time limit of single steps. It is far more than a step needs.
const patience = 30 * time.Second

func within(t testing.TB) context.Context {
	ctx, cancel := shortly()
	t.Cleanup(cancel)
	return ctx
}

// shortly is within for calls that a test makes thousands of times.
func shortly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// seed determines all random choices.
var seed = func() uint64 {
	if s, err := strconv.ParseUint(os.Getenv("GODAPL_SEED"), 10, 64); err == nil {
		return s
	}
	return uint64(time.Now().UnixNano())
}()

// random returns a source of random numbers that depends only on the seed and the test's name.
func random(t testing.TB) *rand.Rand {
	t.Helper()
	t.Logf("GODAPL_SEED=%d", seed)
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// branch returns a source of random numbers for another goroutine.
func branch(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// made is must for calls with a result.
func made[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func wantCode(t testing.TB, err error, code rdma.Code, what string) {
	t.Helper()
	var e *rdma.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}

// ended is the code of the cause with which a connection ended.
func ended(t testing.TB, c *rdma.Conn, codes ...rdma.Code) rdma.Code {
	t.Helper()
	ctx, cancel := shortly()
	defer cancel()
	select {
	case <-c.Context().Done():
	case <-ctx.Done():
		t.Fatal("the connection did not end")
	}
	var e *rdma.Error
	if !errors.As(context.Cause(c.Context()), &e) {
		t.Fatalf("the connection ended with the cause %v", context.Cause(c.Context()))
	}
	for _, code := range codes {
		if e.Code == code {
			return e.Code
		}
	}
	t.Errorf("the connection ended with the cause %v, want one of %v", e, codes)
	return e.Code
}

// side is one side of a connection, with all it takes.
type side struct {
	adapter *rdma.Adapter
	zone    *rdma.Zone
	mem     *mem.Region // all rights
	conn    *rdma.Conn
}

// open opens an adapter that is closed with the test. Messages wait long for
// their receive: on a loaded machine its goroutine may be late.
func open(t testing.TB, name string) *rdma.Adapter {
	t.Helper()
	a := made(rdma.Open(context.Background(), name, rdma.OpenConfig{ReceiveWait: patience}))(t)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func newSide(t testing.TB, a *rdma.Adapter, size int) *side {
	t.Helper()
	s := &side{adapter: a, zone: made(a.NewZone())(t)}
	s.mem = made(s.zone.Alloc(size, mem.All))(t)
	return s
}

// connect opens two adapters and connects them.
func connect(t testing.TB, name string, size int) (active, passive *side) {
	t.Helper()
	active, passive = newSide(t, open(t, name), size), newSide(t, open(t, name), size)
	join(t, active, passive, rdma.EndpointConfig{}, rdma.EndpointConfig{})
	return active, passive
}

// join connects two sides through endpoints of the connections' own.
func join(t testing.TB, active, passive *side, a, p rdma.EndpointConfig) {
	t.Helper()
	a.Zone, p.Zone = active.zone, passive.zone
	x, y := made(active.adapter.NewEndpoint(a))(t), made(passive.adapter.NewEndpoint(p))(t)
	active.conn, passive.conn = link(t, x, y, "127.0.0.1:0")
}

// link connects two endpoints. Receives may have been posted on both.
func link(t testing.TB, x, y *rdma.Endpoint, address string) (active, passive *rdma.Conn) {
	t.Helper()
	ctx, cancel := shortly()
	defer cancel()
	ln := made(y.Adapter().Listen(ctx, address, rdma.ListenConfig{}))(t)
	defer ln.Close()
	return linkThrough(t, ln, x, y)
}

func linkThrough(t testing.TB, ln *rdma.Listener, x, y *rdma.Endpoint) (active, passive *rdma.Conn) {
	t.Helper()
	ctx, cancel := shortly()
	defer cancel()
	accepted := make(chan error, 1)
	go func() {
		var err error
		select {
		case r := <-ln.Requests():
			passive, err = r.AcceptOn(ctx, y, rdma.ConnConfig{})
		case <-ctx.Done():
			err = ctx.Err()
		}
		accepted <- err
	}()
	active, err := x.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
	if err != nil {
		ln.Close()
		t.Fatal(err)
	}
	must(t, <-accepted)
	return active, passive
}

// take waits for n completions.
func take(t testing.TB, d *event.Dispatcher[rdma.Completion], n int) []rdma.Completion {
	t.Helper()
	ctx, cancel := shortly()
	defer cancel()
	all := make([]rdma.Completion, n)
	for got := 0; got < n; {
		k, err := d.WaitBatch(ctx, all[got:])
		if err != nil {
			t.Fatalf("%d of %d completions came: %v", got, n, err)
		}
		got += k
	}
	return all
}

// eventually waits for a condition that no event reports, such as the end of a goroutine.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	eventuallyOr(t, is, func() string { return what + ": not so" })
}

func eventuallyOr(t testing.TB, is func() bool, what func() string) {
	t.Helper()
	ctx, cancel := shortly()
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s after %v", what(), patience)
		}
	}
}

// paint gives the bytes of data number n; neighbours differ.
func paint(b []byte, n int) {
	for i := range b {
		b[i] = byte(n*131 + i*7 + i>>8*13 + 1)
	}
}

// differs is the first byte that is not of data number n, or -1.
func differs(b []byte, n int) int {
	for i := range b {
		if b[i] != byte(n*131+i*7+i>>8*13+1) {
			return i
		}
	}
	return -1
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
