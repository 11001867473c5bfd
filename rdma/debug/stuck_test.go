package debug

import (
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// pair connects two adapters, on which a message may wait for a receive for an hour.
func pair(t *testing.T, path string) (a, b *rdma.Conn) {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var zones [2]*rdma.Zone
	for i := range zones {
		adapter, err := rdma.Open(ctx, path, rdma.OpenConfig{ReceiveWait: time.Hour})
		check(err)
		t.Cleanup(func() { adapter.Close() })
		zones[i], err = adapter.NewZone()
		check(err)
	}
	ln, err := zones[1].Adapter().Listen(ctx, net.JoinHostPort("127.0.0.1", "0"), rdma.ListenConfig{})
	check(err)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		var err error
		b, err = (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zones[1]})
		accepted <- err
	}()
	a, err = zones[0].Adapter().Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zones[0], SendDepth: 256})
	check(err)
	check(<-accepted)
	return a, b
}

// TestTheFirstLookTells: a wait and a stall that have begun before the first look are shown by it, and by each look
// as long as they go on, at both ends.
func TestTheFirstLookTells(t *testing.T) {
	for path, x := range map[string]struct {
		messages, size int
		stalls         bool
	}{
		"soft-loop": {8, 64, false}, // there is nothing in between that could be full
		"soft-tcp":  {64, 1 << 20, true},
		"soft-shm":  {256, 64, true},
	} {
		t.Run(path, func(t *testing.T) {
			if path == "soft-shm" && runtime.GOOS != "linux" {
				t.Skip("shared memory is for Linux")
			}
			a, b := pair(t, path)
			memory, err := a.Zone().Alloc(x.size, mem.Local)
			if err != nil {
				t.Fatal(err)
			}
			for range x.messages {
				if err := a.PostSend(rdma.Send{From: memory.Slice(0, x.size)}); err != nil {
					t.Fatal(err)
				}
			}
			for b.Stats().ReceiveWaits == 0 || x.stalls && a.Stats().SendStalls == 0 {
				runtime.Gosched()
			}
			v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter(), b.Endpoint().Adapter()}}
			t0 := time.Now()
			var before *Snapshot
			for look := range 4 {
				s := v.take(t0.Add(time.Duration(look) * 3 * time.Second))
				for strings.Contains(s.Conns[0].Note+s.Conns[1].Note, "could not be looked at") { // another goroutine was there
					s = v.take(t0.Add(time.Duration(look) * 3 * time.Second))
				}
				sender, receiver := s.Conns[0], s.Conns[1]
				if !strings.Contains(receiver.Note, "finds no receive: this program") || receiver.ReceiveWaitNow <= 0 || receiver.ReceiveWait < receiver.ReceiveWaitNow {
					t.Errorf("look %d: the receiver's note is %q, of %v", look, receiver.Note, receiver.ReceiveWaitNow)
				}
				if x.stalls && (!strings.Contains(sender.Note, "no room") || sender.SendStallNow <= 0) ||
					!x.stalls && look > 0 && !strings.Contains(sender.Note, "8 requests wait for the peer") {
					t.Errorf("look %d: the sender's note is %q, of %v", look, sender.Note, sender.SendStallNow)
				}
				if before != nil && receiver.ReceiveWaitNow <= before.Conns[1].ReceiveWaitNow {
					t.Errorf("look %d: the wait has lasted %v, before %v", look, receiver.ReceiveWaitNow, before.Conns[1].ReceiveWaitNow)
				}
				before = s
			}
			in, err := b.Zone().Alloc(x.size, mem.Local)
			if err != nil {
				t.Fatal(err)
			}
			for range x.messages {
				if _, err := b.Receive(t.Context(), in.Slice(0, x.size)); err != nil {
					t.Fatal(err)
				}
			}
			for requests := 1; requests > 0; requests, _ = a.Outstanding() {
				runtime.Gosched()
			}
			s := v.take(t0.Add(time.Hour))
			if sender, receiver := s.Conns[0], s.Conns[1]; sender.SendStallNow != 0 || receiver.ReceiveWaitNow != 0 ||
				receiver.ReceiveWait < before.Conns[1].ReceiveWait || x.stalls && sender.SendStall < before.Conns[0].SendStallNow {
				t.Errorf("afterwards: a stall of %v, %v in all; a wait of %v, %v in all", sender.SendStallNow, sender.SendStall, receiver.ReceiveWaitNow, receiver.ReceiveWait)
			}
		})
	}
}
