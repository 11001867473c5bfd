package rdma_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func newInbox(t testing.TB, s *side, cfg rdma.InboxConfig) *rdma.Inbox {
	t.Helper()
	b, err := s.zone.NewInbox(cfg)
	must(t, err)
	return b
}

// More messages than receives go through an inbox, from several peers, each whole and in
// the order of its connection: a message that was released is a receive again.
func TestAnInboxKeepsItsReceivesPosted(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		const peers, each = 3, 40
		receives := 8
		if !soft(name) {
			receives = peers * each // an iWARP device ends a connection whose message finds no receive
		}
		x, y := newSide(t, name), newSide(t, name)
		inbox := newInbox(t, y, rdma.InboxConfig{Receives: receives, Size: 64})
		for i := range peers {
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Inbox: inbox, Tag: uint64(i)})
			from, conn := x.mem.Slice(64*i, 16), x.conn
			go func() {
				for n := range each {
					binary.BigEndian.PutUint64(from.Bytes(), uint64(n))
					if err := conn.Send(within(t), from); err != nil {
						t.Error(err)
						return
					}
				}
			}()
		}
		var next [peers]uint64
		for range peers * each {
			m, _, err := inbox.Messages().Wait(within(t), 1)
			must(t, err)
			must(t, m.Err())
			tag := m.Endpoint.Tag()
			if b := m.Bytes(); len(b) != 16 || binary.BigEndian.Uint64(b) != next[tag] {
				t.Fatalf("peer %d: message %x, want number %d", tag, b, next[tag])
			}
			next[tag]++
			if m.Room().Len() != 64 {
				t.Errorf("room for %d bytes", m.Room().Len())
			}
			m.Release()
			if m.Bytes() != nil || m.Room().Len() != 0 {
				t.Error("the bytes of a released message")
			}
		}
	})
}

// The receives are there before the peer, so its first message finds one although the
// accepting program has posted nothing.
func TestAnInboxIsThereBeforeThePeerSends(t *testing.T) {
	y := newSide(t, "soft-loop")
	strict, err := rdma.Open(within(t), "soft-loop", rdma.OpenConfig{ReceiveWait: -1}) // nobody waits for a receive
	must(t, err)
	defer strict.Close()
	zone, err := strict.NewZone()
	must(t, err)
	inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 2})
	must(t, err)
	ln, err := strict.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	go func() {
		for _, err := range ln.AcceptAll(within(t), rdma.EndpointConfig{Inbox: inbox}) {
			if err != nil {
				return
			}
		}
	}()
	conn, err := y.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: y.zone})
	must(t, err)
	must(t, conn.Send(within(t), y.mem.Slice(0, 8)))
	must(t, conn.Send(within(t), y.mem.Slice(0, 8)))
	if n := len(messages(t, inbox, 2)); n != 2 {
		t.Errorf("%d messages", n)
	}
	must(t, ln.Close())
}

func messages(t testing.TB, b *rdma.Inbox, n int) (all []rdma.Message) {
	t.Helper()
	for range n {
		m, _, err := b.Messages().Wait(within(t), 1)
		must(t, err)
		all = append(all, m)
	}
	return all
}

func TestAMessageIsReleasedOnce(t *testing.T) {
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	inbox := newInbox(t, y, rdma.InboxConfig{Receives: 1, Size: 8})
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Inbox: inbox})
	must(t, x.conn.Send(within(t), x.mem.Slice(0, 8)))
	first := messages(t, inbox, 1)[0]
	first.Release()
	must(t, x.conn.Send(within(t), x.mem.Slice(8, 4)))
	second := messages(t, inbox, 1)[0] // in the same memory
	func() {
		defer func() {
			if v := recover(); v == nil {
				t.Error("a message was released twice, and with it another message")
			}
		}()
		first.Release()
	}()
	if len(second.Bytes()) != 4 || first.Bytes() != nil {
		t.Errorf("the second has %d bytes, the first %d", len(second.Bytes()), len(first.Bytes()))
	}
	second.Release()
}

func TestAnInboxAndItsEndpoints(t *testing.T) {
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	for _, cfg := range []rdma.InboxConfig{{Receives: -1}, {Size: -1}, {Receives: y.adapter.Attributes().MaxSharedDepth + 1}} {
		_, err := y.zone.NewInbox(cfg)
		wantCode(t, err, rdma.ErrInvalid, fmt.Sprint(cfg))
	}
	inbox := newInbox(t, y, rdma.InboxConfig{Receives: 4})
	q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64})
	must(t, err)
	_, err = y.adapter.NewEndpoint(rdma.EndpointConfig{Inbox: inbox, RecvCQ: q})
	wantCode(t, err, rdma.ErrInvalid, "an endpoint with two places for receives")
	_, err = x.adapter.NewEndpoint(rdma.EndpointConfig{Inbox: inbox, Zone: x.zone})
	wantCode(t, err, rdma.ErrProtection, "another zone")
	e := newEndpoint(t, y, rdma.EndpointConfig{Inbox: inbox})
	wantCode(t, e.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 8)}), rdma.ErrState, "a receive beside the inbox")
	must(t, e.Modify(e.Config())) // what the inbox has filled in is no contradiction
	wantCode(t, inbox.Close(), rdma.ErrInUse, "an inbox with an endpoint")
	must(t, e.Close())
	must(t, inbox.Close())
	must(t, inbox.Close())
	_, _, err = inbox.Messages().Wait(within(t), 1)
	wantCode(t, err, rdma.ErrClosed, "the messages")

	left := newInbox(t, y, rdma.InboxConfig{Receives: 4})
	must(t, y.adapter.Close())
	_, _, err = left.Messages().Wait(within(t), 1)
	if !errors.Is(err, rdma.ErrClosed) {
		t.Errorf("messages of an adapter that was closed: %v", err)
	}
}

func TestAnInboxAllocatesNothingPerMessage(t *testing.T) {
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	inbox := newInbox(t, y, rdma.InboxConfig{Receives: 4, Size: 64})
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Inbox: inbox})
	var list [1]rdma.Message
	send := rdma.Send{From: x.mem.Slice(0, 8), Flags: rdma.NoCompletion}
	if n := testing.AllocsPerRun(1000, func() {
		x.conn.PostSend(send)
		for inbox.Messages().Poll(list[:]) == 0 {
		}
		if len(list[0].Bytes()) == 8 {
			list[0].Release()
		}
	}); n != 0 && !race.Enabled {
		t.Errorf("%v allocations", n)
	}
	if _, err := y.zone.Alloc(64, mem.Local); err != nil {
		t.Error(err)
	}
}
