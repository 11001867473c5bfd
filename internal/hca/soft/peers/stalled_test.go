package peers_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Peers that do not do their part.

// jam posts Writes until the stream takes no more, of a peer that never reads.
func (x *exchange) jam() *stuck {
	x.t.Helper()
	k := x.big(hca.LocalRead | hca.RemoteRead)
	local := hca.Segment{Addr: k.Addr(), Len: uint32(len(k.bytes)), Key: k.LKey()}
	x.e.post(hca.SendWR{Op: hca.OpWrite, Local: local, RKey: 7}, hca.StatusOK, hca.StatusFlushed)
	x.e.post(hca.SendWR{Op: hca.OpWrite, Local: local, RKey: 7}, hca.StatusFlushed)
	x.e.readAt(0, 8)
	return k
}

// Closing does not wait for such a peer, and what the peer finds afterwards is
// what was sent, not what the program has put there since.
func TestPeerThatNeverReads(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, end := range map[string]func(e *endpoint, p *peer) hca.ConnEventKind{
		"Close": func(e *endpoint, _ *peer) hca.ConnEventKind { return hca.EventDisconnected },
		"Disconnect": func(e *endpoint, _ *peer) hca.ConnEventKind {
			_ = e.qp.Disconnect(false)
			return hca.EventDisconnected
		},
		"malformed": func(e *endpoint, p *peer) hca.ConnEventKind {
			p.write(raw(0x41))
			ev := e.event(hca.EventBroken)
			e.events <- ev
			return hca.EventBroken
		},
	} {
		for _, r := range roles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				x := &exchange{t, e, p}
				p.write(write(1, 0, ""))
				e.recv(8)
				k := x.jam()
				s.jammed(t, p)
				kind := end(e, p)
				if err := e.qp.Close(); err != nil {
					t.Error(err)
				}
				e.event(kind)
				e.drain()
				e.ledger.balance(t)
				e.close()
				if err := k.Close(); err != nil {
					t.Error(err)
				}
				was := append([]byte(nil), k.bytes...)
				for i := range k.bytes {
					k.bytes[i] = 0xff
				}
				at := 0
				for {
					seg, err := p.next()
					if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					if seg.Op != iwarp.OpWrite || len(seg.Payload) == 0 {
						continue
					}
					if at = int(seg.TO); string(seg.Payload) != string(was[at:at+len(seg.Payload)]) {
						t.Fatalf("the segment at %d holds other octets", at)
					}
				}
				s.bystander(t)
			})
		}
	}
}

// The adapter closes in bounded time, whatever its peers are at.
func TestCloseAdapterUnderStalledPeers(t *testing.T) {
	t.Parallel()
	s := secondStation(t)
	var ends []*endpoint
	for _, r := range roles {
		e, p := s.open(t, r, depths{4, 4})
		x := &exchange{t, e, p}
		p.write(write(1, 0, ""))
		e.recv(8)
		x.jam()
		ends = append(ends, e)
		// One that gets a Terminate and does not look at it.
		e, p = s.open(t, r, depths{4, 4})
		e.recv(8)
		p.write(raw(0x41))
		e.over(hca.EventBroken)
		// One that waits for its request to be answered, and one that says nothing.
		v := s.listen(t)
		dial(t, v.address()).sendRequest(responder.frame)
		v.request()
		dial(t, v.address())
	}
	if err := s.a.Close(); err != nil {
		t.Error(err)
	}
	for _, e := range ends {
		e.event(hca.EventDisconnected)
		e.closed = true
	}
}

// A peer that goes on sending after the Terminate is listened to for a bounded
// time only.
func TestPeerThatNeverStops(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	var wg sync.WaitGroup
	for _, r := range roles {
		e, p := s.open(t, r, depths{4, 4})
		e.recv(8)
		p.write(raw(0x41))
		e.over(hca.EventBroken)
		wg.Go(func() {
			junk := make([]byte, 1<<16)
			for deadline := time.Now().Add(patience); ; {
				if _, err := p.conn.Write(junk); err != nil {
					return
				}
				if time.Now().After(deadline) {
					t.Error("ours still listens")
					return
				}
			}
		})
	}
	s.bystander(t)
	wg.Wait()
}

// Row 36: a message waits for a receive, in bounded time.
func TestLateReceive(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: 100 * time.Millisecond})
	for _, r := range roles {
		t.Run("too late/"+r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.busy()
			p.write(send(1, "hello"))
			s.bystander(t)
			p.end().one(t, "1/2/0x02")
			e.over(hca.EventBroken)
		})
	}
	patient := newStation(t, hca.Options{ReceiveWait: time.Minute})
	for _, r := range roles {
		t.Run("in time/"+r.name, func(t *testing.T) {
			e, p := patient.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(send(1, "hello"), send(2, "world"), readRequest(1, 1, 0, 0))
			p.send = 3
			patient.bystander(t)
			e.recv(8)
			e.received()
			patient.bystander(t)
			e.recv(8)
			e.received()
			p.want(iwarp.OpReadResponse)
			x.may(e.mem.recv, 0, 16)
			e.mem.holds(t, e.mem.recv.span(0, 5), "hello")
			e.mem.holds(t, e.mem.recv.span(8, 5), "world")
			x.alive()
		})
	}
}

// Waiting costs nothing: neither for a receive, whatever the peer sends
// behind the message, nor for a peer that does not read. Not parallel, since it
// looks at the process as a whole.
func TestWaitingCostsNothing(t *testing.T) {
	const window = 200 * time.Millisecond
	s := newStation(t, hca.Options{ReceiveWait: time.Minute})
	for name, behind := range map[string]func(x *exchange){
		"nothing":    func(*exchange) {},
		"FIN":        func(x *exchange) { x.p.fin() },
		"more":       func(x *exchange) { x.p.write(make([]byte, 1<<20)) },
		"not a read": func(x *exchange) { x.jam(); s.jammed(t, x.p) },
	} {
		t.Run(name, func(t *testing.T) {
			e, p := s.open(t, responder, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(send(1, "hello"))
			behind(x)
			s.bystander(t)
			runtime.GC()
			ctx, cancel := context.WithTimeout(t.Context(), window)
			defer cancel()
			before := processTime()
			<-ctx.Done()
			if used := time.Duration(processTime()-before) * time.Microsecond; used > window/4 {
				t.Errorf("waiting for %v took %v of processor time", window, used)
			}
			e.close()
			e.event(hca.EventDisconnected)
		})
	}
}
