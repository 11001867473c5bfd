package dat_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// world is every object that a call may need: a connected side and its peer, a side
// that is not connected, and one object of each other kind.
type world struct {
	t          *testing.T
	c, peer, u *side // connected, its peer, unconnected
	cno        dat.CNOHandle
	rmr        dat.RMRHandle
	srq        dat.SRQHandle
	psp        dat.PSPHandle
	rsp        dat.RSPHandle
	cr         dat.CRHandle // at u
	qual       dat.ConnQual // of psp
	soft       dat.EVDHandle
	foreignPZ  dat.PZHandle
	foreign    memory // of another zone of c
	bare       memory // without a right, of c's zone
	params     struct {
		evd dat.EVDParam
		ep  dat.EPParam
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	notIWARP(t, pending)
	w := &world{t: t, u: newSide(t, usual, nil)}
	w.peer, w.c = pair(t, usual)
	ok(t, dat.CNOCreate(w.u.ia, dat.OsWaitProxyAgentNull, &w.cno))
	ok(t, dat.RMRCreate(w.c.pz, &w.rmr))
	ok(t, dat.SRQCreate(w.u.ia, w.u.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 2}, &w.srq))
	w.qual = service("")
	ok(t, dat.PSPCreate(w.u.ia, w.qual, w.u.cr, 0, &w.psp))
	var ep dat.EPHandle
	ok(t, dat.EPCreate(w.u.ia, w.u.pz, w.u.recv, w.u.req, w.u.conn, nil, &ep))
	ok(t, dat.RSPCreate(w.u.ia, service(""), ep, w.u.cr, &w.rsp))
	ok(t, dat.EPCreate(w.c.ia, w.c.pz, w.c.recv, w.c.req, w.c.conn, nil, &ep))
	ok(t, dat.EPConnect(ep, host(""), w.qual, second, 0, nil, 0, 0))
	w.cr = expect(t, w.u.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	w.soft = evd(t, w.u.ia, 2, dat.EVDSoftwareFlag)
	ok(t, dat.PZCreate(w.c.ia, &w.foreignPZ))
	w.foreign = register(t, w.c.ia, w.foreignPZ, 64, allPriv)
	w.bare = register(t, w.c.ia, w.c.pz, 64, dat.MemPrivNoneFlag)
	return w
}

func (w *world) to() *dat.RMRTriplet   { return w.peer.mem.remote(0, 8) }
func (w *world) seg() []dat.LMRTriplet { return w.c.mem.iov(0, 8) }

// unknown is a segment of no region; beyond is a segment that exceeds its region.
func (w *world) unknown() []dat.LMRTriplet {
	s := w.seg()
	s[0].LMRContext = ^s[0].LMRContext
	return s
}
func (w *world) beyond() []dat.LMRTriplet { return w.c.mem.iov(8190, 8) }

// full repeats a post until the queue is full. The posts do not complete: the
// completion queue is not polled.
func full(post func() dat.Return) dat.Return {
	for range 1 << 12 {
		if ret := post(); ret != dat.Success {
			return ret
		}
	}
	return dat.Success
}

type provocation struct {
	call string
	typ  dat.Return
	do   func(w *world) dat.Return
}

func TestEveryReturn(t *testing.T) {
	capital := capitals(t)
	byName := map[string]dat.Return{}
	for r := dat.Return(1); r <= 0x3FFF; r++ {
		var name string
		if dat.StrError(r<<16, &name, nil) == dat.Success {
			byName[strings.TrimPrefix(name, "DAT_")] = r << 16
		}
	}
	all := slices.Concat(provocations(), provocations2(), resources())
	done := map[string]bool{}
	for _, p := range all {
		for name, typ := range byName {
			if typ == p.typ {
				done[p.call+" "+name] = true
			}
		}
		t.Run(p.call+"/"+p.typ.Error()[:20], func(t *testing.T) {
			want(t, p.do(newWorld(t)), p.typ)
		})
	}
	for _, row := range table(t, "returns.txt") {
		for _, code := range row[1:] {
			if !done[row[0]+" "+code] {
				t.Errorf("%s (%s): nothing provokes %s", row[0], goName(row[0], capital), code)
			}
		}
	}
}

// bad are the calls with a handle that is none.
func provocations() []provocation {
	var (
		ev      dat.Event
		n       dat.Count
		evdh    dat.EVDHandle
		ia      dat.IAHandle
		pz      dat.PZHandle
		lmr     dat.LMRHandle
		rmr     dat.RMRHandle
		ep      dat.EPHandle
		psp     dat.PSPHandle
		rsp     dat.RSPHandle
		csp     dat.CSPHandle
		srq     dat.SRQHandle
		cno     dat.CNOHandle
		fd      dat.FD
		qual    dat.ConnQual
		ctx     dat.Context
		kind    dat.HandleType
		related dat.HARelationship
	)
	cookie := num(1)
	all := []provocation{
		{"dat_registry_list_providers", dat.InvalidParameter, func(w *world) dat.Return { return dat.RegistryListProviders(1, nil, nil) }},
		{"dat_registry_list_providers", dat.InternalError, func(w *world) dat.Return {
			w.t.Setenv("DAT_OVERRIDE", filepath.Join(w.t.TempDir(), "nothing"))
			return dat.RegistryListProviders(0, &n, nil)
		}},
		{"dat_registry_add_provider", dat.InvalidParameter, func(w *world) dat.Return { return dat.RegistryAddProvider(nil, nil) }},
		{"dat_registry_add_provider", dat.ProviderAlreadyRegistered, func(w *world) dat.Return {
			return dat.RegistryAddProvider(patientProvider, &dat.ProviderInfo{IAName: patient, DaplVersionMajor: 1, DaplVersionMinor: 2})
		}},
		{"dat_registry_add_provider", dat.InsufficientResources, func(w *world) dat.Return {
			for minor := uint32(0); ; minor++ {
				info := &dat.ProviderInfo{IAName: "many", DaplVersionMajor: 9, DaplVersionMinor: minor}
				if ret := dat.RegistryAddProvider(patientProvider, info); ret != dat.Success {
					return ret
				}
				w.t.Cleanup(func() { dat.RegistryRemoveProvider(patientProvider, info) })
			}
		}},
		{"dat_registry_remove_provider", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.RegistryRemoveProvider(patientProvider, &dat.ProviderInfo{IAName: "nobody"})
		}},
		{"dat_registry_remove_provider", dat.ProviderInUse, func(w *world) dat.Return {
			open(w.t, patient)
			return dat.RegistryRemoveProvider(patientProvider, &dat.ProviderInfo{IAName: patient, DaplVersionMajor: 1, DaplVersionMinor: 2})
		}},
		{"dat_registry_providers_related", dat.InvalidParameter, func(w *world) dat.Return { return dat.RegistryProvidersRelated("soft", "", &related) }},
		{"dat_registry_providers_related", dat.ProviderNotFound, func(w *world) dat.Return {
			return dat.RegistryProvidersRelated("soft", "nobody", &related)
		}},
		{"dat_strerror", dat.InvalidParameter, func(w *world) dat.Return {
			var s string
			return dat.StrError(0x3000000, &s, nil)
		}},
		{"dat_ia_open", dat.InvalidParameter, func(w *world) dat.Return { evdh = 0; return dat.IAOpen("", 8, &evdh, &ia) }},
		{"dat_ia_open", dat.InvalidParameter, func(w *world) dat.Return { evdh = 0; return dat.IAOpen("soft", 0, &evdh, &ia) }},
		{"dat_ia_open", dat.InvalidParameter, func(w *world) dat.Return { return dat.IAOpen("soft", 8, nil, &ia) }},
		{"dat_ia_open", dat.InvalidHandle, func(w *world) dat.Return { evdh = 0; return dat.IAOpen("soft", 8, &evdh, nil) }},
		{"dat_ia_open", dat.InvalidHandle, func(w *world) dat.Return { evdh = w.u.conn; return dat.IAOpen(usual, 8, &evdh, &ia) }},
		{"dat_ia_open", dat.ProviderNotFound, func(w *world) dat.Return { evdh = 0; return dat.IAOpen("nobody", 8, &evdh, &ia) }},
		{"dat_ia_open", dat.InsufficientResources, func(w *world) dat.Return { evdh = 0; return dat.IAOpen("soft", 1<<30, &evdh, &ia) }},
		{"dat_ia_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.IAQuery(w.u.ia, nil, 1<<40, nil, 0, nil) }},
		{"dat_ia_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.IAQuery(w.u.ia, nil, 1, nil, 0, nil) }},
		{"dat_ia_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.IAQuery(w.u.ia, nil, 0, nil, 1, nil) }},
		{"dat_ia_close", dat.InvalidParameter, func(w *world) dat.Return { return dat.IAClose(w.u.ia, 2) }},
		{"dat_ia_close", dat.InvalidState, func(w *world) dat.Return { return dat.IAClose(w.u.ia, dat.CloseGracefulFlag) }},
		{"dat_get_consumer_context", dat.InvalidParameter, func(w *world) dat.Return { return dat.GetConsumerContext(w.u.ep, nil) }},
		{"dat_get_handle_type", dat.InvalidParameter, func(w *world) dat.Return { return dat.GetHandleType(w.u.ep, nil) }},
		{"dat_cno_create", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.CNOCreate(w.u.ia, dat.OsWaitProxyAgent{InstanceData: 1}, &cno)
		}},
		{"dat_cno_modify_agent", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.CNOModifyAgent(w.cno, dat.OsWaitProxyAgent{InstanceData: 1})
		}},
		{"dat_cno_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.CNOQuery(w.cno, 8, &dat.CNOParam{}) }},
		{"dat_cno_free", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.EVDModifyCNO(w.soft, w.cno))
			return dat.CNOFree(w.cno)
		}},
		{"dat_cno_wait", dat.QueueEmpty, func(w *world) dat.Return { return dat.CNOWait(w.cno, 0, &evdh) }},
		{"dat_cno_wait", dat.InvalidParameter, func(w *world) dat.Return { return dat.CNOWait(w.cno, 0, nil) }},
		{"dat_cno_wait", dat.InterruptedCall, func(w *world) dat.Return {
			c, cancel := context.WithCancel(context.Background())
			cancel()
			return dat.CNOWaitContext(c, w.cno, dat.TimeoutInfinite, &evdh)
		}},
		{"dat_cno_fd_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.CNOFDCreate(w.u.ia, nil, &cno) }},
		{"dat_cno_trigger", dat.QueueEmpty, func(w *world) dat.Return { return dat.CNOTrigger(w.cno, &evdh) }},
		{"dat_cno_trigger", dat.InvalidParameter, func(w *world) dat.Return { return dat.CNOTrigger(w.cno, nil) }},
		{"dat_evd_create", dat.InsufficientResources, func(w *world) dat.Return { return dat.EVDCreate(w.u.ia, 1<<30, 0, dat.EVDDTOFlag, &evdh) }},
		{"dat_evd_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDCreate(w.u.ia, 0, 0, dat.EVDDTOFlag, &evdh) }},
		{"dat_evd_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDCreate(w.u.ia, 8, 0, 0, &evdh) }},
		{"dat_evd_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDCreate(w.u.ia, 8, 0, 0x4000, &evdh) }},
		{"dat_evd_create", dat.InvalidHandle, func(w *world) dat.Return { return dat.EVDCreate(w.c.ia, 8, w.cno, dat.EVDDTOFlag, &evdh) }},
		{"dat_evd_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDQuery(w.soft, 0x20, &w.params.evd) }},
		{"dat_evd_modify_cno", dat.InvalidHandle, func(w *world) dat.Return { return dat.EVDModifyCNO(w.c.conn, w.cno) }},
		{"dat_evd_wait", dat.TimeoutExpired, func(w *world) dat.Return { return dat.EVDWait(w.soft, 0, 1, &ev, &n) }},
		{"dat_evd_wait", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDWait(w.soft, 0, 0, &ev, &n) }},
		{"dat_evd_wait", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDWait(w.soft, 0, 3, &ev, &n) }},
		{"dat_evd_wait", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDWait(w.soft, 0, 1, nil, &n) }},
		{"dat_evd_wait", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDWait(w.soft, 0, 1, &ev, nil) }},
		{"dat_evd_wait", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.EVDSetUnwaitable(w.soft))
			ret := dat.EVDWait(w.soft, 0, 1, &ev, &n)
			ok(w.t, dat.EVDClearUnwaitable(w.soft))
			want(w.t, dat.EVDWait(w.soft, 0, 1, &ev, &n), dat.TimeoutExpired)
			return ret
		}},
		{"dat_evd_wait", dat.InvalidState, func(w *world) dat.Return {
			done := waiting(w.t, w.soft, 1)
			ok(w.t, dat.EVDSetUnwaitable(w.soft))
			return <-done
		}},
		{"dat_evd_wait", dat.Abort, func(w *world) dat.Return {
			done := waiting(w.t, w.soft, 1)
			ok(w.t, dat.EVDFree(w.soft))
			return <-done
		}},
		{"dat_evd_wait", dat.InterruptedCall, func(w *world) dat.Return {
			software(w.t, w.soft, 1)
			c, cancel := context.WithCancel(context.Background())
			done := make(chan dat.Return, 1)
			go func() { done <- dat.EVDWaitContext(c, w.soft, dat.TimeoutInfinite, 2, &ev, &n) }()
			blocked2(w.t, w.soft)
			cancel()
			ret := <-done
			if n != 1 {
				w.t.Errorf("nmore is %d", n)
			}
			return ret
		}},
		{"dat_evd_dequeue", dat.QueueEmpty, func(w *world) dat.Return { return dat.EVDDequeue(w.soft, &ev) }},
		{"dat_evd_dequeue", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDDequeue(w.soft, nil) }},
		{"dat_evd_dequeue", dat.InvalidState, func(w *world) dat.Return {
			done := waiting(w.t, w.soft, 1)
			ret := dat.EVDDequeue(w.soft, &ev)
			software(w.t, w.soft, 1)
			<-done
			return ret
		}},
		{"dat_evd_resize", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDResize(w.soft, 0) }},
		{"dat_evd_resize", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDResize(w.soft, 1<<30) }},
		{"dat_evd_resize", dat.InvalidState, func(w *world) dat.Return {
			software(w.t, w.soft, 1)
			software(w.t, w.soft, 2)
			return dat.EVDResize(w.soft, 1)
		}},
		{"dat_evd_post_se", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EVDPostSE(w.u.conn, &dat.Event{EventNumber: dat.SoftwareEvent})
		}},
		{"dat_evd_post_se", dat.InvalidParameter, func(w *world) dat.Return { return dat.EVDPostSE(w.soft, &dat.Event{EventNumber: 1}) }},
		{"dat_evd_post_se", dat.QueueFull, func(w *world) dat.Return {
			return full(func() dat.Return { return dat.EVDPostSE(w.soft, &dat.Event{EventNumber: dat.SoftwareEvent}) })
		}},
		{"dat_evd_free", dat.InvalidState, func(w *world) dat.Return { return dat.EVDFree(w.u.recv) }},
		{"dat_evd_free", dat.InvalidState, func(w *world) dat.Return { return dat.EVDFree(w.u.cr) }},
		{"dat_evd_free", dat.InvalidState, func(w *world) dat.Return { return dat.EVDFree(w.u.async) }},
		{"dat_psp_create", dat.InvalidHandle, func(w *world) dat.Return { return dat.PSPCreate(w.u.ia, 1<<33, w.soft, 0, &psp) }},
		{"dat_psp_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.PSPCreate(w.u.ia, 0, w.u.cr, 0, &psp) }},
		{"dat_psp_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.PSPCreate(w.u.ia, 1<<33, w.u.cr, 2, &psp) }},
		{"dat_psp_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.PSPCreate(w.u.ia, 1<<33, w.u.cr, 0, nil) }},
		{"dat_psp_create", dat.ConnQualInUse, func(w *world) dat.Return { return dat.PSPCreate(w.u.ia, w.qual, w.u.cr, 0, &psp) }},
		{"dat_psp_create_any", dat.InvalidHandle, func(w *world) dat.Return { return dat.PSPCreateAny(w.u.ia, &qual, w.soft, 0, &psp) }},
		{"dat_psp_create_any", dat.InvalidParameter, func(w *world) dat.Return { return dat.PSPCreateAny(w.u.ia, nil, w.u.cr, 0, &psp) }},
		{"dat_psp_create_any", dat.ConnQualUnavailable, func(w *world) dat.Return {
			a, _ := open(w.t, gated)
			theGate.full.Store(true)
			defer theGate.full.Store(false)
			return dat.PSPCreateAny(a, &qual, evd(w.t, a, 8, dat.EVDCRFlag), 0, &psp)
		}},
		{"dat_psp_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.PSPQuery(w.psp, 0x10, &dat.PSPParam{}) }},
		{"dat_rsp_create", dat.InvalidHandle, func(w *world) dat.Return { return dat.RSPCreate(w.u.ia, 1<<33, w.u.ep, w.soft, &rsp) }},
		{"dat_rsp_create", dat.InvalidHandle, func(w *world) dat.Return { return dat.RSPCreate(w.u.ia, 1<<33, w.c.ep, w.u.cr, &rsp) }},
		{"dat_rsp_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.RSPCreate(w.u.ia, 1<<33, w.u.ep, w.u.cr, nil) }},
		{"dat_rsp_create", dat.InvalidState, func(w *world) dat.Return { return dat.RSPCreate(w.c.ia, 1<<33, w.c.ep, w.c.cr, &rsp) }},
		{"dat_rsp_create", dat.ConnQualInUse, func(w *world) dat.Return { return dat.RSPCreate(w.u.ia, w.qual, w.u.ep, w.u.cr, &rsp) }},
		{"dat_rsp_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.RSPQuery(w.rsp, 0x10, &dat.RSPParam{}) }},
		{"dat_csp_create", dat.PortInUse, func(w *world) dat.Return {
			return dat.CSPCreate(w.u.ia, &dat.Comm{Domain: 2, Type: 1}, &tcpAddr{w.qual}, w.u.cr, &csp)
		}},
		{"dat_csp_create", dat.CommNotSupported, func(w *world) dat.Return {
			return dat.CSPCreate(w.u.ia, &dat.Comm{Domain: 2, Type: 2}, &tcpAddr{w.qual}, w.u.cr, &csp)
		}},
		{"dat_csp_create", dat.InvalidAddress, func(w *world) dat.Return {
			return dat.CSPCreate(w.u.ia, &dat.Comm{Domain: 2, Type: 1}, &net.TCPAddr{IP: net.IPv4bcast, Port: 1}, w.u.cr, &csp)
		}},
		{"dat_csp_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.CSPCreate(w.u.ia, nil, nil, w.u.cr, &csp) }},
		{"dat_csp_query", dat.InvalidParameter, func(w *world) dat.Return {
			ok(w.t, dat.CSPCreate(w.u.ia, &dat.Comm{Domain: 2, Type: 1}, &tcpAddr{service("")}, w.u.cr, &csp))
			want(w.t, dat.CSPQuery(csp, 0, nil), dat.InvalidParameter, dat.InvalidArg3)
			return dat.CSPQuery(csp, 0x10, &dat.CSPParam{})
		}},
		{"dat_cr_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.CRQuery(w.cr, 0x20, &dat.CRParam{}) }},
		{"dat_cr_accept", dat.InvalidParameter, func(w *world) dat.Return { return dat.CRAccept(w.cr, w.u.ep, 4096, make([]byte, 4096)) }},
		{"dat_cr_accept", dat.InvalidParameter, func(w *world) dat.Return { return dat.CRAccept(w.cr, w.u.ep, 8, nil) }},
		{"dat_cr_accept", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.EPConnect(w.u.ep, host(""), w.qual, second, 0, nil, 0, 0))
			return dat.CRAccept(w.cr, w.u.ep, 0, nil)
		}},
		{"dat_cr_reject_20", dat.InvalidParameter, func(w *world) dat.Return { return dat.CRReject20(w.cr, -1, nil) }},
		{"dat_cr_handoff", dat.InvalidParameter, func(w *world) dat.Return { return dat.CRHandoff(w.cr, 1<<40) }},
	}
	// An invalid handle, for every call that takes one.
	for call, do := range map[string]func(w *world) dat.Return{
		"dat_ia_query":             func(w *world) dat.Return { return dat.IAQuery(0, nil, 0, nil, 0, nil) },
		"dat_ia_close":             func(w *world) dat.Return { return dat.IAClose(0, 0) },
		"dat_set_consumer_context": func(w *world) dat.Return { return dat.SetConsumerContext(dat.HandleNull, ctx) },
		"dat_get_consumer_context": func(w *world) dat.Return { return dat.GetConsumerContext(dat.EVDAsyncExists, &ctx) },
		"dat_get_handle_type":      func(w *world) dat.Return { return dat.GetHandleType(dat.Handle(12345), &kind) },
		"dat_cno_create":           func(w *world) dat.Return { return dat.CNOCreate(0, dat.OsWaitProxyAgentNull, &cno) },
		"dat_cno_modify_agent":     func(w *world) dat.Return { return dat.CNOModifyAgent(0, dat.OsWaitProxyAgentNull) },
		"dat_cno_query":            func(w *world) dat.Return { return dat.CNOQuery(dat.CNOHandle(w.soft), 0, nil) },
		"dat_cno_free":             func(w *world) dat.Return { return dat.CNOFree(dat.CNOHandle(w.soft)) },
		"dat_cno_wait":             func(w *world) dat.Return { return dat.CNOWait(0, 0, &evdh) },
		"dat_cno_fd_create":        func(w *world) dat.Return { return dat.CNOFDCreate(0, &fd, &cno) },
		"dat_cno_trigger":          func(w *world) dat.Return { return dat.CNOTrigger(0, &evdh) },
		"dat_evd_query":            func(w *world) dat.Return { return dat.EVDQuery(1, 0, nil) },
		"dat_evd_enable":           func(w *world) dat.Return { return dat.EVDEnable(2) },
		"dat_evd_disable":          func(w *world) dat.Return { return dat.EVDDisable(0) },
		"dat_evd_wait":             func(w *world) dat.Return { return dat.EVDWait(0, 0, 1, &ev, &n) },
		"dat_evd_dequeue":          func(w *world) dat.Return { return dat.EVDDequeue(dat.EVDHandle(w.u.ep), &ev) },
		"dat_evd_resize":           func(w *world) dat.Return { return dat.EVDResize(0, 1) },
		"dat_evd_post_se":          func(w *world) dat.Return { return dat.EVDPostSE(0, &ev) },
		"dat_evd_set_unwaitable":   func(w *world) dat.Return { return dat.EVDSetUnwaitable(0) },
		"dat_evd_clear_unwaitable": func(w *world) dat.Return { return dat.EVDClearUnwaitable(0) },
		"dat_evd_free": func(w *world) dat.Return {
			ok(w.t, dat.EVDFree(w.soft))
			return dat.EVDFree(w.soft)
		},
		"dat_psp_query": func(w *world) dat.Return { return dat.PSPQuery(0, 0, nil) },
		"dat_psp_free": func(w *world) dat.Return {
			ok(w.t, dat.PSPFree(w.psp))
			return dat.PSPFree(w.psp)
		},
		"dat_rsp_query":  func(w *world) dat.Return { return dat.RSPQuery(0, 0, nil) },
		"dat_rsp_free":   func(w *world) dat.Return { return dat.RSPFree(0) },
		"dat_csp_create": func(w *world) dat.Return { return dat.CSPCreate(w.u.ia, nil, nil, w.soft, &csp) },
		"dat_csp_query":  func(w *world) dat.Return { return dat.CSPQuery(0, 0, nil) },
		"dat_csp_free":   func(w *world) dat.Return { return dat.CSPFree(0) },
		"dat_cr_query":   func(w *world) dat.Return { return dat.CRQuery(0, 0, nil) },
		"dat_cr_accept":  func(w *world) dat.Return { return dat.CRAccept(0, 0, 0, nil) },
		"dat_cr_reject": func(w *world) dat.Return {
			ok(w.t, dat.CRReject(w.cr))
			return dat.CRReject(w.cr)
		},
		"dat_cr_reject_20":       func(w *world) dat.Return { return dat.CRReject20(0, 0, nil) },
		"dat_cr_handoff":         func(w *world) dat.Return { return dat.CRHandoff(0, 1) },
		"dat_ep_create":          func(w *world) dat.Return { return dat.EPCreate(w.u.ia, w.c.pz, 0, 0, 0, nil, &ep) },
		"dat_ep_create_10":       func(w *world) dat.Return { return dat.EPCreate10(0, 0, 0, 0, 0, 0, nil, &ep) },
		"dat_ep_create_with_srq": func(w *world) dat.Return { return dat.EPCreateWithSRQ(w.u.ia, 0, 0, 0, 0, 0, nil, &ep) },
		"dat_ep_query":           func(w *world) dat.Return { return dat.EPQuery(0, 0, nil) },
		"dat_ep_get_status":      func(w *world) dat.Return { return dat.EPGetStatus(0, nil, nil, nil) },
		"dat_ep_modify": func(w *world) dat.Return {
			return dat.EPModify(w.u.ep, dat.EPFieldPZHandle, &dat.EPParam{PZHandle: w.c.pz})
		},
		"dat_ep_connect":                   func(w *world) dat.Return { return dat.EPConnect(0, host(""), 1, 1, 0, nil, 0, 0) },
		"dat_ep_dup_connect":               func(w *world) dat.Return { return dat.EPDupConnect(w.u.ep, w.c.ep, 1, 0, nil, 0) },
		"dat_ep_common_connect":            func(w *world) dat.Return { return dat.EPCommonConnect(0, host(""), 1, 0, nil) },
		"dat_ep_disconnect":                func(w *world) dat.Return { return dat.EPDisconnect(0, 0) },
		"dat_ep_reset":                     func(w *world) dat.Return { return dat.EPReset(0) },
		"dat_ep_free":                      func(w *world) dat.Return { return dat.EPFree(0) },
		"dat_ep_recv_query":                func(w *world) dat.Return { return dat.EPRecvQuery(0, &n, nil) },
		"dat_ep_set_watermark":             func(w *world) dat.Return { return dat.EPSetWatermark(0, 1, 1) },
		"dat_ep_post_send":                 func(w *world) dat.Return { return dat.EPPostSend(0, 0, nil, cookie, 0) },
		"dat_ep_post_recv":                 func(w *world) dat.Return { return dat.EPPostRecv(0, 0, nil, cookie, 0) },
		"dat_ep_post_rdma_read":            func(w *world) dat.Return { return dat.EPPostRDMARead(0, 0, nil, cookie, w.to(), 0) },
		"dat_ep_post_rdma_write":           func(w *world) dat.Return { return dat.EPPostRDMAWrite(0, 0, nil, cookie, w.to(), 0) },
		"dat_ep_post_send_with_invalidate": func(w *world) dat.Return { return dat.EPPostSendWithInvalidate(0, 0, nil, cookie, 0, dat.True, 1) },
		"dat_ep_post_rdma_read_to_rmr":     func(w *world) dat.Return { return dat.EPPostRDMAReadToRMR(0, w.to(), cookie, w.to(), 0) },
		"dat_pz_create":                    func(w *world) dat.Return { return dat.PZCreate(0, &pz) },
		"dat_pz_query":                     func(w *world) dat.Return { return dat.PZQuery(0, 0, nil) },
		"dat_pz_free": func(w *world) dat.Return {
			ok(w.t, dat.LMRFree(w.foreign.lmr))
			ok(w.t, dat.PZFree(w.foreignPZ))
			return dat.PZFree(w.foreignPZ)
		},
		"dat_lmr_create": func(w *world) dat.Return {
			return dat.LMRCreate(w.u.ia, 0, dat.RegionDescription{}, 1, w.c.pz, 0, &lmr, nil, nil, nil, nil)
		},
		"dat_lmr_create_10": func(w *world) dat.Return {
			return dat.LMRCreate10(0, 0, dat.RegionDescription{}, 1, w.c.pz, 0, &lmr, nil, nil, nil)
		},
		"dat_lmr_create_20": func(w *world) dat.Return {
			return dat.LMRCreate20(0, 0, dat.RegionDescription{}, 1, w.c.pz, 0, 0, &lmr, nil, nil, nil, nil)
		},
		"dat_lmr_query": func(w *world) dat.Return { return dat.LMRQuery(0, 0, nil) },
		"dat_lmr_free": func(w *world) dat.Return {
			ok(w.t, dat.LMRFree(w.bare.lmr))
			return dat.LMRFree(w.bare.lmr)
		},
		"dat_lmr_sync_rdma_read":  func(w *world) dat.Return { return dat.LMRSyncRDMARead(0, nil, 0) },
		"dat_lmr_sync_rdma_write": func(w *world) dat.Return { return dat.LMRSyncRDMAWrite(0, nil, 0) },
		"dat_rmr_create":          func(w *world) dat.Return { return dat.RMRCreate(0, &rmr) },
		"dat_rmr_create_for_ep":   func(w *world) dat.Return { return dat.RMRCreateForEP(0, &rmr) },
		"dat_rmr_query":           func(w *world) dat.Return { return dat.RMRQuery(0, 0, nil) },
		"dat_rmr_bind":            func(w *world) dat.Return { return dat.RMRBind(w.rmr, &w.seg()[0], 0, w.u.ep, cookie, 0, nil) },
		"dat_rmr_bind_20":         func(w *world) dat.Return { return dat.RMRBind20(w.rmr, 0, &w.seg()[0], 0, 0, w.c.ep, cookie, 0, nil) },
		"dat_rmr_free": func(w *world) dat.Return {
			ok(w.t, dat.RMRFree(w.rmr))
			return dat.RMRFree(w.rmr)
		},
		"dat_srq_create":    func(w *world) dat.Return { return dat.SRQCreate(w.u.ia, 0, nil, &srq) },
		"dat_srq_query":     func(w *world) dat.Return { return dat.SRQQuery(0, 0, nil) },
		"dat_srq_post_recv": func(w *world) dat.Return { return dat.SRQPostRecv(0, 0, nil, cookie) },
		"dat_srq_resize":    func(w *world) dat.Return { return dat.SRQResize(0, 1) },
		"dat_srq_set_lw":    func(w *world) dat.Return { return dat.SRQSetLW(0, 1) },
		"dat_srq_free": func(w *world) dat.Return {
			ok(w.t, dat.SRQFree(w.srq))
			return dat.SRQFree(w.srq)
		},
		"dat_extension_op":             func(w *world) dat.Return { return dat.ExtensionOp(dat.HandleNull, 0) },
		"dat_ib_post_fetch_and_add":    func(w *world) dat.Return { return dat.IBPostFetchAndAdd(0, 1, nil, cookie, nil, 0) },
		"dat_ib_post_cmp_and_swap":     func(w *world) dat.Return { return dat.IBPostCmpAndSwap(0, 1, 1, nil, cookie, nil, 0) },
		"dat_ib_post_rdma_write_immed": func(w *world) dat.Return { return dat.IBPostRDMAWriteImmed(0, 0, nil, cookie, w.to(), 1, 0) },
		"dat_ib_open_query":            func(w *world) dat.Return { return dat.IBOpenQuery("soft", nil, 0, nil, 0, nil) },
		"dat_ib_close_query":           func(w *world) dat.Return { return dat.IBCloseQuery(0) },
	} {
		all = append(all, provocation{call, dat.InvalidHandle, do})
	}
	return all
}

// blocked2 is blocked for a dispatcher that has an event which is to stay there.
func blocked2(t *testing.T, h dat.EVDHandle) {
	t.Helper()
	for dat.EVDResize(h, 2).Subtype() != dat.InvalidStateEVDWaiter {
	}
}
