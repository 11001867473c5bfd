package integration_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// recorded is the result of a run: what the sockets carried, and the captures of both ends.
type recorded struct {
	taps   []*tapped
	here   []string // capture files of the dialling end
	theirs []string // of the listening end
}

func record(t *testing.T, limits rdma.Capture) *recorded {
	t.Helper()
	p := new(tap)
	must(t, rdma.RegisterFabric("test-tap", p))
	defer rdma.UnregisterFabric("test-tap")
	dir := t.TempDir()
	var adapters [2]*rdma.Adapter
	for i, name := range []string{"test-tap", "soft-tcp"} {
		limits.Path = filepath.Join(dir, name+".pcapng")
		adapters[i] = made(rdma.Open(within(t), name, rdma.OpenConfig{ReceiveWait: patience, Capture: limits}))(t)
	}
	x, y := newSide(t, adapters[0], 1<<20), newSide(t, adapters[1], 1<<20)
	everyOperation(t, x, y, "127.0.0.1:0")
	greet(t, x, y)
	reject(t, x, y)
	for _, a := range adapters {
		must(t, a.Close())
	}
	r := &recorded{taps: p.ended(t)}
	for _, file := range capturetest.Files(t, dir) {
		if strings.HasPrefix(filepath.Base(file), "test-tap") {
			r.here = append(r.here, file)
		} else {
			r.theirs = append(r.theirs, file)
		}
	}
	return r
}

// greet makes a connection with private data in both directions, over IPv6 if available. It
// executes all kinds of operations and disconnects in an orderly way.
func greet(t *testing.T, x, y *side) {
	t.Helper()
	ctx := within(t)
	address := "127.0.0.1:0"
	if ln, err := net.Listen("tcp", "[::1]:0"); err == nil {
		ln.Close()
		address = "[::1]:0"
	} else {
		t.Log("no IPv6 here: ", err)
	}
	ln := made(y.adapter.Listen(ctx, address, rdma.ListenConfig{}))(t)
	defer ln.Close()
	var far *rdma.Conn
	accepted := make(chan error, 1)
	go func() {
		r := <-ln.Requests()
		if !bytes.Equal(r.PrivateData(), []byte("who are you?")) {
			accepted <- errors.New("other private data")
			return
		}
		var err error
		far, err = r.Accept(ctx, rdma.EndpointConfig{Zone: y.zone, Private: []byte("a friend")})
		accepted <- err
	}()
	c := made(x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone, Private: []byte("who are you?")}))(t)
	if string(c.PrivateData()) != "a friend" {
		t.Errorf("private data %q", c.PrivateData())
	}
	must(t, <-accepted)
	lent := made(far.Bind(ctx, made(y.zone.NewWindow(mem.EndpointWindow))(t), y.mem.Slice(0, 4096), mem.RemoteWrite))(t)
	for range 3 {
		must(t, far.PostRecv(rdma.Recv{Into: y.mem.Slice(4096, 100)}))
	}
	must(t, c.PostSend(rdma.Send{From: x.mem.Slice(0, 77), Flags: rdma.Solicited}))
	must(t, c.PostWrite(rdma.Write{From: x.mem.Slice(0, 78), To: lent.Slice(0, 78), Immediate: 7, Flags: rdma.WithImmediate | rdma.Solicited}))
	must(t, c.PostSend(rdma.Send{From: x.mem.Slice(0, 79), Invalidate: lent.Key, Flags: rdma.Solicited}))
	take(t, far.RecvCompletions(), 3)
	must(t, c.Shutdown(ctx))
	ended(t, far, rdma.ErrDisconnected)
}

// reject makes a request that is rejected.
func reject(t *testing.T, x, y *side) {
	t.Helper()
	ctx := within(t)
	ln := made(y.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))(t)
	defer ln.Close()
	rejected := make(chan error, 1)
	go func() { rejected <- (<-ln.Requests()).Reject([]byte("not you")) }()
	_, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
	wantCode(t, err, rdma.ErrRejected, "dial")
	must(t, <-rejected)
}

// TestCaptureIsTheStream: both captures have, byte for byte, the streams that the relay
// between the ends has recorded.
func TestCaptureIsTheStream(t *testing.T) {
	r := record(t, rdma.Capture{})
	here := capturetest.Follow(t, capturetest.ReadFile(t, r.here[0]))
	theirs := capturetest.Follow(t, capturetest.ReadFile(t, r.theirs[0]))
	if len(r.taps) != 3 || len(here) != len(r.taps) || len(theirs) != len(r.taps) {
		t.Fatalf("%d connections, %d and %d in the captures", len(r.taps), len(here), len(theirs))
	}
	for i, c := range r.taps {
		same(t, i, here[capturetest.EndsOf(c.dialler, c.toward)], c.dialler, c.toward, c)
		same(t, i, theirs[capturetest.EndsOf(c.from, c.listener)], c.from, c.listener, c)
		// Nothing waits for the end of a rejected connection.
		if !here[capturetest.EndsOf(c.dialler, c.toward)].Ended[c.dialler] || !theirs[capturetest.EndsOf(c.from, c.listener)].Ended[c.listener] {
			t.Errorf("connection %d has no end", i)
		}
	}
}

func same(t *testing.T, i int, got *capturetest.Conversation, active, passive netip.AddrPort, want *tapped) {
	t.Helper()
	switch {
	case got == nil:
		t.Fatalf("connection %d is missing", i)
	case got.Opener != active:
		t.Errorf("connection %d was opened by %v, not %v", i, got.Opener, active)
	case !bytes.Equal(got.Streams[active], want.said):
		t.Errorf("connection %d: %d bytes said, %d captured, or others", i, len(want.said), len(got.Streams[active]))
	case !bytes.Equal(got.Streams[passive], want.answered):
		t.Errorf("connection %d: %d bytes answered, %d captured, or others", i, len(want.answered), len(got.Streams[passive]))
	}
}

// TestCaptureOfOtherStreams: streams of a program's own are captured, too.
func TestCaptureOfOtherStreams(t *testing.T) {
	for name, f := range fabrics(t) {
		t.Run(name, func(t *testing.T) {
			must(t, rdma.RegisterFabric(name, f.fabric))
			defer rdma.UnregisterFabric(name)
			dir := t.TempDir()
			opt := rdma.OpenConfig{ReceiveWait: patience, Capture: rdma.Capture{Path: filepath.Join(dir, "x")}}
			a, b := made(rdma.Open(context.Background(), name, opt))(t), made(rdma.Open(context.Background(), name, opt))(t)
			everyOperation(t, newSide(t, a, 1<<20), newSide(t, b, 1<<20), f.address)
			must(t, a.Close())
			must(t, b.Close())
			var streams [][]byte
			for _, file := range capturetest.Files(t, dir) {
				for _, c := range capturetest.Follow(t, capturetest.ReadFile(t, file)) {
					for from, stream := range c.Streams {
						if from == c.Opener {
							streams = append(streams, stream)
						}
					}
				}
			}
			if len(streams) != 2 || len(streams[0]) < 1<<20 || !bytes.Equal(streams[0], streams[1]) {
				t.Errorf("%d streams, or different ones", len(streams))
			}
		})
	}
}

// TestCaptureKeepsOrder: in both captures an answer follows its request, although different
// goroutines may handle the two directions.
func TestCaptureKeepsOrder(t *testing.T) {
	const rounds = 3000
	dir := t.TempDir()
	var sides [2]*side
	for i := range sides {
		a := made(rdma.Open(within(t), "soft-tcp", rdma.OpenConfig{ReceiveWait: patience, Capture: rdma.Capture{Path: filepath.Join(dir, "x")}}))(t)
		defer a.Close()
		sides[i] = newSide(t, a, 4096)
	}
	x, y := sides[0], sides[1]
	join(t, x, y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
	ctx := within(t)
	// The first messages may share a packet with frames of the adapters' start-up.
	for _, turns := range []struct{ rounds, size int }{{1, 50}, {rounds, 100}} {
		work := make(chan error, 1)
		go func() { work <- bounce(ctx, y, turns.rounds, turns.size, false) }()
		must(t, bounce(ctx, x, turns.rounds, turns.size, true))
		must(t, <-work)
	}
	must(t, x.adapter.Close())
	must(t, y.adapter.Close())
	for _, file := range capturetest.Files(t, dir) {
		var before capturetest.Packet
		turns := 0
		for i, p := range capturetest.ReadFile(t, file) {
			// Only the messages of 100 bytes have this length.
			if len(p.TCP.Payload) != iwarp.FPDULen(iwarp.UntaggedHeaderSize+100) {
				continue
			}
			if p.From == before.From {
				t.Fatalf("%s, packet %d: %v sends twice in succession", file, i+1, p.From)
			}
			before = p
			turns++
		}
		if turns != 2*rounds {
			t.Errorf("%s: %d messages in alternation, want %d", file, turns, 2*rounds)
		}
	}
}

func bounce(ctx context.Context, s *side, rounds, size int, first bool) error {
	for i := range 2 * rounds {
		var err error
		if i%2 == 0 == first {
			err = s.conn.Send(ctx, s.mem.Slice(0, size))
		} else {
			_, err = s.conn.Recv(ctx, s.mem.Slice(0, size))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
