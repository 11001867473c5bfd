package dat_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
)

// The transitions that an event reports: from a state, by a trigger, to a state,
// with what the connect dispatcher gets. The others are in the matrix.
var transitions = []struct {
	from, trigger, to string
	event             dat.EventNumber
	do                func(s *subject)
}{
	{"CP", "the handshake is done", "C", dat.ConnectionEventEstablished, func(s *subject) {
		theGate.open()
	}},
	{"CP", "the requester gives up", "D", dat.ConnectionEventAcceptCompletionError, func(s *subject) {
		ok(s.t, dat.EPFree(s.peer.ep))
		theGate.open()
	}},
	{"CP", "disconnect", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
	}},
	{"U", "a request that is gone is accepted", "D", dat.ConnectionEventAcceptCompletionError, func(s *subject) {
		cr := s.requestFromPeer()
		ok(s.t, dat.EPFree(s.peer.ep))
		ok(s.t, dat.CRAccept(cr, s.ep, 0, nil))
	}},
	{"A", "the peer accepts", "C", dat.ConnectionEventEstablished, func(s *subject) {
		ok(s.t, dat.CRAccept(s.atPeer(), s.peer.ep, 0, nil))
	}},
	{"A", "the peer rejects", "D", dat.ConnectionEventPeerRejected, func(s *subject) {
		ok(s.t, dat.CRReject(s.atPeer()))
	}},
	{"A", "disconnect, abrupt", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
	}},
	{"A", "disconnect, graceful", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseGracefulFlag))
	}},
	{"U", "nobody listens", "D", dat.ConnectionEventNonPeerRejected, func(s *subject) {
		ok(s.t, dat.EPConnect(s.ep, host(""), service(""), second, 0, nil, 0, 0))
	}},
	{"U", "the backlog is full", "D", dat.ConnectionEventNonPeerRejected, func(s *subject) {
		small := evd(s.t, s.peer.ia, 1, dat.EVDCRFlag|dat.EVDSoftwareFlag)
		software(s.t, small, nil)
		qual := service("")
		var psp dat.PSPHandle
		ok(s.t, dat.PSPCreate(s.peer.ia, qual, small, 0, &psp))
		ok(s.t, dat.EPConnect(s.ep, host(""), qual, second, 0, nil, 0, 0))
	}},
	{"U", "no answer in time", "D", dat.ConnectionEventTimedOut, func(s *subject) {
		ok(s.t, dat.EPConnect(s.ep, host(""), s.listening(), 1000, 0, nil, 0, 0))
	}},
	{"U", "no time for an answer", "D", dat.ConnectionEventTimedOut, func(s *subject) {
		ok(s.t, dat.EPConnect(s.ep, host(""), s.listening(), 1, 0, nil, 0, 0))
	}},
	{"C", "disconnect, abrupt", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
	}},
	{"C", "disconnect, graceful", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseGracefulFlag))
	}},
	{"C", "the peer disconnects", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.peer.ep, dat.CloseAbruptFlag))
	}},
	{"C", "the peer frees its endpoint", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPFree(s.peer.ep))
	}},
	{"C", "an operation fails", "D", dat.ConnectionEventBroken, func(s *subject) {
		bad := s.peer.mem.remote(0, 8)
		bad.RMRContext++
		ok(s.t, dat.EPPostRDMAWrite(s.ep, 1, s.mem.iov(0, 8), num(1), bad, 0))
	}},
	{"C", "a message does not fit its receive", "D", dat.ConnectionEventBroken, func(s *subject) {
		ok(s.t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 4), num(1), 0))
		ok(s.t, dat.EPPostSend(s.peer.ep, 1, s.peer.mem.iov(0, 8), num(1), 0))
		cutOff(s.t, s.recv)
	}},
	{"C", "the hard watermark is exceeded", "D", dat.ConnectionEventBroken, func(s *subject) {
		ok(s.t, dat.EPSetWatermark(s.ep, dat.WatermarkInfinite, 1))
		ok(s.t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
		ok(s.t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(2), 0))
	}},
	{"DP", "what is posted is done", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPPostRecv(s.peer.ep, 1, s.peer.mem.iov(0, 8), num(1), 0))
		completion(s.t, s.peer.recv, dat.DTOSuccess)
		completion(s.t, s.req, dat.DTOSuccess)
	}},
	{"DP", "disconnect, abrupt", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
		completion(s.t, s.req, dat.DTOErrFlushed)
	}},
	{"DP", "the peer disconnects", "D", dat.ConnectionEventDisconnected, func(s *subject) {
		ok(s.t, dat.EPDisconnect(s.peer.ep, dat.CloseAbruptFlag))
	}},
	{"DP", "a request fails", "D", dat.ConnectionEventBroken, func(s *subject) {
		ok(s.t, dat.EPPostRecv(s.peer.ep, 1, s.peer.mem.iov(0, 4), num(1), 0))
	}},
}

func TestEveryTransition(t *testing.T) {
	for _, tr := range transitions {
		t.Run(tr.from+"/"+tr.trigger, func(t *testing.T) {
			s := in(t, tr.from)
			tr.do(s)
			ev := next(t, s.conn)
			if tr.event == dat.ConnectionEventAcceptCompletionError && ev.EventNumber == dat.ConnectionEventEstablished && iwarp() {
				ev = expect(t, s.conn, dat.ConnectionEventDisconnected) // the device learned after the accept that the peer had left
				tr.event = ev.EventNumber
			}
			ends := ev.EventNumber == dat.ConnectionEventDisconnected && iwarp() // whatever the reason
			if ev.EventNumber != tr.event && !(ends && tr.event == dat.ConnectionEventBroken) {
				t.Fatalf("event %#x, want %#x", ev.EventNumber, tr.event)
			}
			// The state is visible no later than the event.
			if st := s.state(); st != states[tr.to] {
				t.Fatalf("the state is %d with the event", st)
			}
			if ev.EventData.ConnectEventData.EPHandle != s.ep {
				t.Fatalf("the event is of %#x", ev.EventData.ConnectEventData.EPHandle)
			}
			empty(t, s.conn) // one event
		})
	}
}

func TestUnreachable(t *testing.T) {
	s := newSide(t, gated, nil)
	ok(t, dat.EPConnect(s.ep, parseAddr("10.0.0.1"), 7471, second, 0, nil, 0, 0))
	expect(t, s.conn, dat.ConnectionEventUnreachable)
}

func TestRejectedWithPrivateData(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		_, cr := request(passive, active, name, nil)
		ok(t, dat.CRReject20(cr, 2, []byte("no")))
		d := expect(t, active.conn, dat.ConnectionEventPeerRejected).EventData.ConnectEventData
		if !private(d.PrivateData, "no") || int(d.PrivateDataSize) != len(d.PrivateData) {
			t.Fatalf("%+v", d)
		}
	})
}

func TestNoReceive(t *testing.T) {
	notIWARP(t, unwaited)
	p := &dat.Provider{DeviceName: usual, Options: rdma.OpenConfig{ReceiveWait: time.Millisecond}}
	info := &dat.ProviderInfo{IAName: "hasty", DaplVersionMajor: 1, DaplVersionMinor: 2}
	ok(t, dat.RegistryAddProvider(p, info))
	defer dat.RegistryRemoveProvider(p, info)
	t.Run("broken", func(t *testing.T) {
		a, b := newSide(t, "hasty", nil), newSide(t, "hasty", nil)
		connect(a, b, usual)
		ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
		completion(t, b.req, dat.DTOErrReceiverNotReady)
		broken(t, a.conn)
		expect(t, b.conn, dat.ConnectionEventBroken)
	})
}

// atPeer is the request that the subject has made: in("A") has taken its event.
func (s *subject) atPeer() dat.CRHandle { return s.pending }

// requestFromPeer has the peer ask.
func (s *subject) requestFromPeer() dat.CRHandle {
	_, cr := request(s.side, s.peer, s.name, nil)
	return cr
}
