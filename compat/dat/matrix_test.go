package dat_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// The matrix of calls and states: one column for each of U R P T A CP C DP D. An entry
// tells the result of the call and the state afterwards:
//
//	ok     success, the state stays
//	IS     INVALID_STATE that names the state, which stays
//	>X     success, and the state becomes X
//	gone   success, and the handle becomes invalid
//	flush  success, and a completion FLUSHED at once
//	-      there is no such case
var matrix = []struct {
	call, row string
	do        func(s *subject) dat.Return
}{
	{"ep_query", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		var p dat.EPParam
		return dat.EPQuery(s.ep, dat.EPFieldAll, &p)
	}},
	{"ep_get_status", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		var st dat.EPState
		return dat.EPGetStatus(s.ep, &st, nil, nil)
	}},
	{"set_consumer_context", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		return dat.SetConsumerContext(s.ep, num(1))
	}},
	{"get_consumer_context", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		var c dat.Context
		return dat.GetConsumerContext(s.ep, &c)
	}},
	{"ep_modify of the zone", "ok IS IS ok IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPModify(s.ep, dat.EPFieldPZHandle, &dat.EPParam{PZHandle: s.pz})
	}},
	{"ep_modify of a dispatcher", "ok ok ok ok IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPModify(s.ep, dat.EPFieldRecvEVDHandle, &dat.EPParam{RecvEVDHandle: s.recv})
	}},
	{"ep_modify of attributes", "ok ok ok ok IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS, &dat.EPParam{EPAttr: dat.EPAttr{MaxRecvDTOS: 8}})
	}},
	{"ep_modify of specific attributes", "ok IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPModify(s.ep, dat.EPFieldEPAttrNumProviderAttr, &dat.EPParam{})
	}},
	{"ep_connect", ">A IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPConnect(s.ep, host(s.name), s.listening(), second, 0, nil, 0, 0)
	}},
	{"ep_dup_connect", ">A IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		other := s.connectedSibling()
		return dat.EPDupConnect(s.ep, other, second, 0, nil, 0)
	}},
	{"ep_dup_connect as the source", "IS IS IS IS IS IS ok IS IS", func(s *subject) dat.Return {
		return dat.EPDupConnect(s.sibling(), s.ep, second, 0, nil, 0)
	}},
	{"ep_common_connect", ">A IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.EPCommonConnect(s.ep, &tcpAddr{s.listening()}, second, 0, nil)
	}},
	{"rsp_create", ">R IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		var rsp dat.RSPHandle
		return dat.RSPCreate(s.ia, service(s.name), s.ep, s.side.cr, &rsp)
	}},
	{"cr_accept with the endpoint", ">C IS IS IS IS IS IS IS IS", func(s *subject) dat.Return {
		return dat.CRAccept(s.anotherRequest(), s.ep, 0, nil)
	}},
	{"cr_accept of its own request", "- - >C >C - - - - -", func(s *subject) dat.Return {
		return dat.CRAccept(s.cr, dat.HandleNull, 0, nil)
	}},
	{"cr_reject of its own request", "- - >U gone - - - - -", func(s *subject) dat.Return {
		return dat.CRReject(s.cr)
	}},
	{"cr_handoff of its own request", "- - >U gone - - - - -", func(s *subject) dat.Return {
		qual := service(s.name)
		var psp dat.PSPHandle
		ok(s.t, dat.PSPCreate(s.ia, qual, s.side.cr, dat.PSPConsumerFlag, &psp))
		return dat.CRHandoff(s.cr, qual)
	}},
	{"rsp_free", "- >U ok - - - - - -", func(s *subject) dat.Return { return dat.RSPFree(s.rsp) }},
	{"ep_disconnect abrupt", "IS IS IS IS >D >D >D >D ok", func(s *subject) dat.Return {
		return dat.EPDisconnect(s.ep, dat.CloseAbruptFlag)
	}},
	{"ep_disconnect graceful", "IS IS IS IS >D >D >D ok ok", func(s *subject) dat.Return {
		return dat.EPDisconnect(s.ep, dat.CloseGracefulFlag)
	}},
	{"ep_reset", "ok IS IS IS IS IS IS IS >U", func(s *subject) dat.Return { return dat.EPReset(s.ep) }},
	{"ep_free", "gone IS IS IS gone gone gone gone gone", func(s *subject) dat.Return { return dat.EPFree(s.ep) }},
	{"ep_post_recv", "ok ok ok ok ok ok ok ok flush", func(s *subject) dat.Return {
		return dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(9), 0)
	}},
	{"ep_post_send", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		return dat.EPPostSend(s.ep, 1, s.mem.iov(0, 8), num(9), 0)
	}},
	{"ep_post_rdma_read", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		return dat.EPPostRDMARead(s.ep, 1, s.mem.iov(0, 8), num(9), s.peer.mem.remote(0, 8), 0)
	}},
	{"ep_post_rdma_write", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		return dat.EPPostRDMAWrite(s.ep, 1, s.mem.iov(0, 8), num(9), s.peer.mem.remote(0, 8), 0)
	}},
	{"rmr_bind", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		needs(s.t, "windows", windows)
		var rmr dat.RMRHandle
		ok(s.t, dat.RMRCreate(s.pz, &rmr))
		return dat.RMRBind(rmr, &s.mem.iov(0, 8)[0], dat.MemPrivRemoteReadFlag, s.ep, num(9), 0, nil)
	}},
	{"ep_set_watermark", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		return dat.EPSetWatermark(s.ep, dat.WatermarkInfinite, dat.WatermarkInfinite)
	}},
	{"ep_recv_query", "ok ok ok ok ok ok ok ok ok", func(s *subject) dat.Return {
		var n dat.Count
		return dat.EPRecvQuery(s.ep, &n, nil)
	}},
	// Those of 2.0 do as their kin.
	{"ep_post_send_with_invalidate", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		return dat.EPPostSendWithInvalidate(s.ep, 1, s.mem.iov(0, 8), num(9), 0, dat.False, 0)
	}},
	{"ib_post_fetch_and_add", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		needs(s.t, "atomic operations and immediate data", atomics)
		return dat.IBPostFetchAndAdd(s.ep, 1, &s.mem.iov(0, 8)[0], num(9), s.peer.mem.remote(0, 8), 0)
	}},
	{"ib_post_cmp_and_swap", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		needs(s.t, "atomic operations and immediate data", atomics)
		return dat.IBPostCmpAndSwap(s.ep, 1, 2, &s.mem.iov(0, 8)[0], num(9), s.peer.mem.remote(0, 8), 0)
	}},
	{"ib_post_rdma_write_immed", "IS IS IS IS IS IS ok IS flush", func(s *subject) dat.Return {
		needs(s.t, "atomic operations and immediate data", atomics)
		return dat.IBPostRDMAWriteImmed(s.ep, 1, s.mem.iov(0, 8), num(9), s.peer.mem.remote(0, 8), 1, 0)
	}},
}

func TestEveryCallInEveryState(t *testing.T) {
	for _, m := range matrix {
		row := strings.Fields(m.row)
		if len(row) != len(stateNames) {
			t.Fatalf("%s has %d entries", m.call, len(row))
		}
		for i, state := range stateNames {
			if row[i] != "-" {
				t.Run(m.call+"/"+state, func(t *testing.T) {
					if row[i] == ">A" {
						notIWARP(t, pending)
					}
					s := in(t, state)
					s.check(m.do(s), state, row[i])
				})
			}
		}
	}
}

// check compares with an entry of the matrix.
func (s *subject) check(ret dat.Return, state, entry string) {
	s.t.Helper()
	if entry == "IS" {
		want(s.t, ret, dat.InvalidState, stateSubtypes[state])
	} else {
		want(s.t, ret, dat.Success)
	}
	switch {
	case entry == "gone":
		var st dat.EPState
		want(s.t, dat.EPGetStatus(s.ep, &st, nil, nil), dat.InvalidHandle, dat.InvalidHandleEP)
		want(s.t, dat.EPFree(s.ep), dat.InvalidHandle, dat.InvalidHandleEP)
		return
	case entry == "flush":
		s.flushed()
	case entry[0] == '>':
		s.settle(entry[1:])
		return
	}
	if st := s.state(); st != states[state] {
		s.t.Fatalf("the state is %d afterwards", st)
	}
}

// flushed waits for one flushed completion with the cookie 9.
func (s *subject) flushed() {
	s.t.Helper()
	var ev dat.Event
	if dat.EVDDequeue(s.recv, &ev) != dat.Success {
		ev = next(s.t, s.req)
	}
	c, status := ev.EventData.DTOCompletionEventData.UserCookie, ev.EventData.DTOCompletionEventData.Status
	if ev.EventNumber == dat.RMRBindCompletionEvent {
		c, status = ev.EventData.RMRCompletionEventData.UserCookie, ev.EventData.RMRCompletionEventData.Status
	}
	if c != num(9) || status != dat.DTOErrFlushed {
		s.t.Fatalf("event %#x: cookie %v, status %d", ev.EventNumber, c, status)
	}
}

// listening is the qualifier of a service at the peer that answers nothing.
func (s *subject) listening() dat.ConnQual {
	qual := service(s.name)
	var psp dat.PSPHandle
	ok(s.t, dat.PSPCreate(s.peer.ia, qual, s.peer.cr, dat.PSPConsumerFlag, &psp))
	return qual
}

// sibling is another endpoint, unconnected.
func (s *subject) sibling() (ep dat.EPHandle) {
	ok(s.t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, nil, &ep))
	return ep
}

// connectedSibling is another endpoint, connected to a service that goes on
// listening.
func (s *subject) connectedSibling() dat.EPHandle {
	t := s.t
	t.Helper()
	if s.name == gated { // nothing is established there now
		return s.sibling()
	}
	other := *s.side
	other.conn, other.ep = evd(t, s.ia, 8, dat.EVDConnectionFlag), dat.HandleNull
	ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, other.conn, nil, &other.ep))
	third := newSide(t, s.name, nil)
	qual := service(s.name)
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(third.ia, qual, third.cr, dat.PSPConsumerFlag, &psp))
	ok(t, dat.EPConnect(other.ep, host(s.name), qual, second, 0, nil, 0, 0))
	cr := expect(t, third.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	ok(t, dat.CRAccept(cr, third.ep, 0, nil))
	expect(t, other.conn, dat.ConnectionEventEstablished)
	return other.ep
}

// anotherRequest is a request of a third side, at the subject's.
func (s *subject) anotherRequest() dat.CRHandle {
	t := s.t
	t.Helper()
	third := newSide(t, s.name, nil)
	qual := service(s.name)
	var psp dat.PSPHandle
	crs := evd(t, s.ia, 8, dat.EVDCRFlag)
	ok(t, dat.PSPCreate(s.ia, qual, crs, dat.PSPConsumerFlag, &psp))
	ok(t, dat.EPConnect(third.ep, host(s.name), qual, second, 0, nil, 0, 0))
	return expect(t, crs, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
}

// tcpAddr is the address of this host with a service of any width.
type tcpAddr struct{ qual dat.ConnQual }

func (a *tcpAddr) Network() string { return "tcp" }
func (a *tcpAddr) String() string  { return host("").String() + ":" + a.service() }

func (a *tcpAddr) service() string { return strconv.FormatUint(uint64(a.qual), 10) }
