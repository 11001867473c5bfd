package dat_test

import (
	"math"
	"net"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// provocations2 are those of endpoints, transfers and memory.
func provocations2() []provocation {
	var (
		lmr dat.LMRHandle
		rmr dat.RMRHandle
		ep  dat.EPHandle
		pz  dat.PZHandle
		srq dat.SRQHandle
		ia  dat.IAHandle
	)
	cookie := num(1)
	attr := func(w *world, change func(*dat.EPAttr)) *dat.EPAttr {
		at := w.u.attr()
		change(&at)
		return &at
	}
	create := func(w *world, change func(*dat.EPAttr)) dat.Return {
		return dat.EPCreate(w.u.ia, w.u.pz, w.u.recv, w.u.req, w.u.conn, attr(w, change), &ep)
	}
	lmrCreate := func(w *world, t dat.MemType, d dat.RegionDescription, n dat.Vlen, p dat.MemPrivFlags) dat.Return {
		return dat.LMRCreate(w.c.ia, t, d, n, w.c.pz, p, &lmr, nil, nil, nil, nil)
	}
	zone := func(w *world, do func(seg []dat.LMRTriplet) dat.Return) dat.Return { return do(w.foreign.iov(0, 8)) }
	right := func(w *world, do func(seg []dat.LMRTriplet) dat.Return) dat.Return { return do(w.bare.iov(0, 8)) }
	big := func(w *world) []dat.LMRTriplet { return w.c.mem.iov(0, 64) }
	send := func(w *world) func([]dat.LMRTriplet) dat.Return {
		return func(s []dat.LMRTriplet) dat.Return { return dat.EPPostSend(w.c.ep, 1, s, cookie, 0) }
	}
	recv := func(w *world) func([]dat.LMRTriplet) dat.Return {
		return func(s []dat.LMRTriplet) dat.Return { return dat.EPPostRecv(w.c.ep, 1, s, cookie, 0) }
	}
	read := func(w *world) func([]dat.LMRTriplet) dat.Return {
		return func(s []dat.LMRTriplet) dat.Return { return dat.EPPostRDMARead(w.c.ep, 1, s, cookie, w.to(), 0) }
	}
	write := func(w *world) func([]dat.LMRTriplet) dat.Return {
		return func(s []dat.LMRTriplet) dat.Return { return dat.EPPostRDMAWrite(w.c.ep, 1, s, cookie, w.to(), 0) }
	}
	var all []provocation
	for call, post := range map[string]func(*world) func([]dat.LMRTriplet) dat.Return{
		"dat_ep_post_send": send, "dat_ep_post_recv": recv, "dat_ep_post_rdma_read": read, "dat_ep_post_rdma_write": write,
	} {
		all = append(all,
			provocation{call, dat.InvalidParameter, func(w *world) dat.Return { return post(w)(nil) }},
			provocation{call, dat.InvalidParameter, func(w *world) dat.Return { return post(w)(w.beyond()) }},
			provocation{call, dat.PrivilegesViolation, func(w *world) dat.Return { return post(w)(w.unknown()) }},
			provocation{call, dat.PrivilegesViolation, func(w *world) dat.Return { return right(w, post(w)) }},
			provocation{call, dat.ProtectionViolation, func(w *world) dat.Return { return zone(w, post(w)) }},
			provocation{call, dat.InsufficientResources, func(w *world) dat.Return {
				return full(func() dat.Return { return post(w)(w.seg()) })
			}})
	}
	return append(all, []provocation{
		{"dat_ep_post_send", dat.InvalidState, func(w *world) dat.Return { return dat.EPPostSend(w.u.ep, 0, nil, cookie, 0) }},
		{"dat_ep_post_send", dat.LengthError, func(w *world) dat.Return {
			w.c.ep = connectedWith(w, func(at *dat.EPAttr) { at.MaxMessageSize = 4 })
			return send(w)(w.seg())
		}},
		{"dat_ep_post_recv", dat.InvalidState, func(w *world) dat.Return {
			s, _ := sharedSide(w.t, 4)
			return dat.EPPostRecv(s.ep, 0, nil, cookie, 0)
		}},
		{"dat_ep_post_rdma_read", dat.InvalidState, func(w *world) dat.Return { return dat.EPPostRDMARead(w.u.ep, 0, nil, cookie, w.to(), 0) }},
		{"dat_ep_post_rdma_read", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPPostRDMARead(w.c.ep, 0, nil, cookie, nil, 0) }},
		{"dat_ep_post_rdma_read", dat.LengthError, func(w *world) dat.Return {
			return dat.EPPostRDMARead(w.c.ep, 1, w.seg(), cookie, w.peer.mem.remote(0, 64), 0)
		}},
		{"dat_ep_post_rdma_write", dat.InvalidState, func(w *world) dat.Return { return dat.EPPostRDMAWrite(w.u.ep, 0, nil, cookie, w.to(), 0) }},
		{"dat_ep_post_rdma_write", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPPostRDMAWrite(w.c.ep, 1, w.seg(), cookie, w.to(), dat.CompletionSolicitedWaitFlag)
		}},
		{"dat_ep_post_rdma_write", dat.LengthError, func(w *world) dat.Return { return write(w)(big(w)) }},
		{"dat_ep_post_send_with_invalidate", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPPostSendWithInvalidate(w.c.ep, 1, w.seg(), cookie, 0, dat.True, 0)
		}},
		{"dat_ep_post_send_with_invalidate", dat.InvalidState, func(w *world) dat.Return {
			return dat.EPPostSendWithInvalidate(w.u.ep, 0, nil, cookie, 0, dat.True, 1)
		}},
		{"dat_ep_post_send_with_invalidate", dat.PrivilegesViolation, func(w *world) dat.Return {
			return dat.EPPostSendWithInvalidate(w.c.ep, 1, w.unknown(), cookie, 0, dat.True, 1)
		}},
		{"dat_ep_post_rdma_read_to_rmr", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPPostRDMAReadToRMR(w.c.ep, nil, cookie, w.to(), 0)
		}},
		{"dat_ep_post_rdma_read_to_rmr", dat.LengthError, func(w *world) dat.Return {
			return dat.EPPostRDMAReadToRMR(w.c.ep, &dat.RMRTriplet{SegmentLength: 4}, cookie, w.to(), 0)
		}},
		{"dat_ep_post_rdma_read_to_rmr", dat.PrivilegesViolation, func(w *world) dat.Return {
			return dat.EPPostRDMAReadToRMR(w.c.ep, w.to(), cookie, w.to(), 0)
		}},
		{"dat_ep_post_rdma_read_to_rmr", dat.InvalidState, func(w *world) dat.Return {
			local := boundWindow(w)
			ok(w.t, dat.EPCreate(w.c.ia, w.c.pz, w.c.recv, w.c.req, w.c.conn, nil, &ep))
			return dat.EPPostRDMAReadToRMR(ep, local, cookie, w.to(), 0)
		}},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return { return create(w, func(a *dat.EPAttr) { a.MaxRecvDTOS = -1 }) }},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return { return create(w, func(a *dat.EPAttr) { a.MaxRequestDTOS = math.MaxInt32 }) }},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return { return create(w, func(a *dat.EPAttr) { a.MaxRecvIOV = 0 }) }},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return {
			return create(w, func(a *dat.EPAttr) { a.RecvCompletionFlags = dat.CompletionSuppressFlag })
		}},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return {
			return create(w, func(a *dat.EPAttr) { a.RecvCompletionFlags = dat.CompletionUnsignalledFlag }) // the dispatcher has THRESHOLD
		}},
		{"dat_ep_create", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPCreate(w.u.ia, w.u.pz, w.u.recv, w.u.req, w.u.conn, nil, nil)
		}},
		{"dat_ep_create", dat.ModelNotSupported, func(w *world) dat.Return {
			return create(w, func(a *dat.EPAttr) { a.ServiceType = dat.IBServiceTypeUD })
		}},
		{"dat_ep_create_10", dat.ModelNotSupported, func(w *world) dat.Return {
			return dat.EPCreate10(w.u.ia, w.u.pz, 0, w.u.req, 0, 0, attr(w, func(a *dat.EPAttr) { a.QOS = dat.QOSPremium }), &ep)
		}},
		{"dat_ep_create_10", dat.InvalidHandle, func(w *world) dat.Return { // it has no binds
			return dat.EPCreate10(w.u.ia, w.u.pz, 0, w.u.req, 0, w.u.recv, nil, &ep)
		}},
		{"dat_ep_create_10", dat.InvalidParameter, func(w *world) dat.Return { // in a circle
			a, b := evd(w.t, w.u.ia, 8, dat.EVDDTOFlag|dat.EVDRMRBindFlag), evd(w.t, w.u.ia, 8, dat.EVDDTOFlag|dat.EVDRMRBindFlag)
			ok(w.t, dat.EPCreate10(w.u.ia, w.u.pz, 0, a, 0, b, nil, &ep))
			return dat.EPCreate10(w.u.ia, w.u.pz, 0, b, 0, a, nil, &ep)
		}},
		{"dat_ep_create_with_srq", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPCreateWithSRQ(w.u.ia, w.u.pz, 0, 0, 0, w.srq, nil, &ep)
		}},
		{"dat_ep_create_with_srq", dat.ModelNotSupported, func(w *world) dat.Return {
			return dat.EPCreateWithSRQ(w.u.ia, w.u.pz, 0, 0, 0, w.srq, attr(w, func(a *dat.EPAttr) { a.QOS = dat.QOSPremium }), &ep)
		}},
		{"dat_ep_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPQuery(w.u.ep, 1<<33, &dat.EPParam{}) }},
		{"dat_ep_get_status", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPGetStatus(w.u.ep, nil, nil, nil) }},
		{"dat_ep_modify", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPModify(w.u.ep, dat.EPFieldEPState, &dat.EPParam{}) }},
		{"dat_ep_modify", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPModify(w.u.ep, dat.EPFieldPZHandle, nil) }},
		{"dat_ep_modify", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.EPModify(w.u.ep, dat.EPFieldEPAttrMaxRecvDTOS, &dat.EPParam{EPAttr: dat.EPAttr{MaxRecvDTOS: math.MaxInt32}})
		}},
		{"dat_ep_modify", dat.InvalidState, func(w *world) dat.Return {
			return dat.EPModify(w.c.ep, dat.EPFieldRecvEVDHandle, &dat.EPParam{RecvEVDHandle: w.c.recv})
		}},
		{"dat_ep_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, nil, 1, 1, 0, nil, 0, 0) }},
		{"dat_ep_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, host(""), 1, 1, 0, nil, 3, 0) }},
		{"dat_ep_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, host(""), 1, 1, 0, nil, 0, 4) }},
		{"dat_ep_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, host(""), 1, 1, -1, nil, 0, 0) }},
		{"dat_ep_connect", dat.InvalidAddress, func(w *world) dat.Return {
			return dat.EPConnect(w.u.ep, &net.IPAddr{IP: net.IPv4(224, 0, 0, 1)}, 1, 1, 0, nil, 0, 0)
		}},
		{"dat_ep_connect", dat.InvalidAddress, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, parseAddr("240.1.1.1"), 1, 1, 0, nil, 0, 0) }},
		{"dat_ep_connect", dat.InvalidState, func(w *world) dat.Return { // not ready
			ok(w.t, dat.EPCreate(w.u.ia, 0, w.u.recv, w.u.req, w.u.conn, nil, &ep))
			return dat.EPConnect(ep, host(""), 1, 1, 0, nil, 0, 0)
		}},
		{"dat_ep_connect", dat.ModelNotSupported, func(w *world) dat.Return { return dat.EPConnect(w.u.ep, host(""), 1, 1, 0, nil, dat.QOSLowLatency, 0) }},
		{"dat_ep_connect", dat.ModelNotSupported, func(w *world) dat.Return {
			return dat.EPConnect(w.u.ep, host(""), 1, 1, 0, nil, 0, dat.ConnectMultipathFlag)
		}},
		{"dat_ep_dup_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPDupConnect(w.u.ep, w.u.ep, 1, 8, nil, 0) }},
		{"dat_ep_dup_connect", dat.InvalidState, func(w *world) dat.Return { return dat.EPDupConnect(w.u.ep, w.u.ep, 1, 0, nil, 0) }},
		{"dat_ep_dup_connect", dat.ModelNotSupported, func(w *world) dat.Return { return dat.EPDupConnect(w.u.ep, w.u.ep, 1, 0, nil, dat.QOSEconomy) }},
		{"dat_ep_common_connect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPCommonConnect(w.u.ep, host(""), 1, 0, nil) }},
		{"dat_ep_common_connect", dat.InvalidAddress, func(w *world) dat.Return {
			return dat.EPCommonConnect(w.u.ep, &net.TCPAddr{IP: net.IPv4bcast, Port: 1}, 1, 0, nil)
		}},
		{"dat_ep_common_connect", dat.InvalidState, func(w *world) dat.Return { return dat.EPCommonConnect(w.c.ep, &tcpAddr{1}, 1, 0, nil) }},
		{"dat_ep_disconnect", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPDisconnect(w.c.ep, 2) }},
		{"dat_ep_disconnect", dat.InvalidState, func(w *world) dat.Return { return dat.EPDisconnect(w.u.ep, 0) }},
		{"dat_ep_reset", dat.InvalidState, func(w *world) dat.Return { return dat.EPReset(w.c.ep) }},
		{"dat_ep_free", dat.InvalidState, func(w *world) dat.Return { return dat.EPFree(in(w.t, "T").ep) }},
		{"dat_ep_recv_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPRecvQuery(w.u.ep, nil, nil) }},
		{"dat_ep_set_watermark", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPSetWatermark(w.u.ep, -2, 0) }},
		{"dat_ep_set_watermark", dat.InvalidParameter, func(w *world) dat.Return { return dat.EPSetWatermark(w.u.ep, 0, -2) }},
		{"dat_pz_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.PZCreate(w.u.ia, nil) }},
		{"dat_pz_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.PZQuery(w.u.pz, 2, &dat.PZParam{}) }},
		{"dat_pz_free", dat.InvalidState, func(w *world) dat.Return { return dat.PZFree(w.u.pz) }},
		{"dat_lmr_create", dat.InvalidParameter, func(w *world) dat.Return { return lmrCreate(w, 9, dat.RegionDescription{}, 1, 0) }},
		{"dat_lmr_create", dat.InvalidParameter, func(w *world) dat.Return { return lmrCreate(w, 0, dat.RegionDescription{}, 1, 0) }},
		{"dat_lmr_create", dat.InvalidParameter, func(w *world) dat.Return {
			return lmrCreate(w, 0, dat.RegionDescription{ForVA: make([]byte, 8)}, 0, 0)
		}},
		{"dat_lmr_create", dat.InvalidParameter, func(w *world) dat.Return {
			return lmrCreate(w, 0, dat.RegionDescription{ForVA: make([]byte, 8)}, 9, 0)
		}},
		{"dat_lmr_create", dat.InvalidParameter, func(w *world) dat.Return {
			return lmrCreate(w, 0, dat.RegionDescription{ForVA: make([]byte, 8)}, 8, 0x8000)
		}},
		{"dat_lmr_create", dat.InvalidHandle, func(w *world) dat.Return { return lmrCreate(w, dat.MemTypeLMR, dat.RegionDescription{}, 8, 0) }},
		{"dat_lmr_create", dat.InvalidState, func(w *world) dat.Return {
			d := dat.RegionDescription{ForSharedMemory: dat.SharedMemory{VirtualAddress: make([]byte, 64), SharedMemoryID: &dat.LMRCookie{}}}
			return lmrCreate(w, dat.MemTypeSharedVirtual, d, 64, 0)
		}},
		{"dat_lmr_create", dat.ModelNotSupported, func(w *world) dat.Return {
			w.t.Cleanup(dat.SetPlatform("arm64"))
			return lmrCreate(w, dat.MemTypeSOVirtual, dat.RegionDescription{ForVA: make([]byte, 8)}, 8, 0)
		}},
		{"dat_lmr_create_20", dat.ModelNotSupported, func(w *world) dat.Return {
			return dat.LMRCreate20(w.c.ia, 0, dat.RegionDescription{}, 1, w.c.pz, 0, dat.VATypeZB, &lmr, nil, nil, nil, nil)
		}},
		{"dat_lmr_create_20", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.LMRCreate20(w.c.ia, 0, dat.RegionDescription{}, 1, w.c.pz, 0, 7, &lmr, nil, nil, nil, nil)
		}},
		{"dat_lmr_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.LMRQuery(w.bare.lmr, 0, nil) }},
		{"dat_lmr_free", dat.InvalidState, func(w *world) dat.Return {
			boundWindow(w)
			return dat.LMRFree(w.c.mem.lmr)
		}},
		{"dat_lmr_sync_rdma_read", dat.InvalidParameter, func(w *world) dat.Return { return dat.LMRSyncRDMARead(w.c.ia, w.beyond(), 1) }},
		{"dat_lmr_sync_rdma_write", dat.InvalidParameter, func(w *world) dat.Return { return dat.LMRSyncRDMAWrite(w.c.ia, w.unknown(), 1) }},
		{"dat_rmr_create", dat.InvalidParameter, func(w *world) dat.Return { return dat.RMRCreate(w.u.pz, nil) }},
		{"dat_rmr_create_for_ep", dat.InvalidParameter, func(w *world) dat.Return { return dat.RMRCreateForEP(w.u.pz, nil) }},
		{"dat_rmr_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.RMRQuery(w.rmr, 0, nil) }},
		{"dat_rmr_bind", dat.InvalidParameter, func(w *world) dat.Return { return bindOf(w, w.rmr, w.beyond(), 0) }},
		{"dat_rmr_bind", dat.InvalidParameter, func(w *world) dat.Return { return dat.RMRBind(w.rmr, nil, 0, w.c.ep, cookie, 0, nil) }},
		{"dat_rmr_bind", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.RMRBind(w.rmr, &w.seg()[0], 0, w.c.ep, cookie, dat.CompletionSolicitedWaitFlag, nil)
		}},
		{"dat_rmr_bind", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.EPCreate(w.c.ia, w.c.pz, w.c.recv, w.c.req, w.c.conn, nil, &ep))
			return dat.RMRBind(w.rmr, &w.seg()[0], 0, ep, cookie, 0, nil)
		}},
		{"dat_rmr_bind", dat.PrivilegesViolation, func(w *world) dat.Return { return bindOf(w, w.rmr, w.unknown(), 0) }},
		{"dat_rmr_bind", dat.PrivilegesViolation, func(w *world) dat.Return { return bindOf(w, w.rmr, w.bare.iov(0, 8), dat.MemPrivRemoteReadFlag) }},
		{"dat_rmr_bind", dat.ProtectionViolation, func(w *world) dat.Return { return bindOf(w, w.rmr, w.foreign.iov(0, 8), 0) }},
		{"dat_rmr_bind", dat.ProtectionViolation, func(w *world) dat.Return {
			ok(w.t, dat.RMRCreate(w.foreignPZ, &rmr))
			return bindOf(w, rmr, w.seg(), 0)
		}},
		{"dat_rmr_bind", dat.InsufficientResources, func(w *world) dat.Return {
			return full(func() dat.Return { return bindOf(w, w.rmr, w.seg(), 0) })
		}},
		{"dat_rmr_bind_20", dat.ModelNotSupported, func(w *world) dat.Return {
			return dat.RMRBind20(w.rmr, w.c.mem.lmr, &w.seg()[0], 0, dat.VATypeZB, w.c.ep, cookie, 0, nil)
		}},
		{"dat_rmr_bind_20", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.RMRBind20(w.rmr, w.bare.lmr, &w.seg()[0], 0, 0, w.c.ep, cookie, 0, nil)
		}},
		{"dat_srq_create", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.SRQCreate(w.u.ia, w.u.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 1, LowWatermark: 1}, &srq)
		}},
		{"dat_srq_create", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.SRQCreate(w.u.ia, w.u.pz, &dat.SRQAttr{MaxRecvDTOS: math.MaxInt32, MaxRecvIOV: 1}, &srq)
		}},
		{"dat_srq_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.SRQQuery(w.srq, 0x100, &dat.SRQParam{}) }},
		{"dat_srq_post_recv", dat.InvalidParameter, func(w *world) dat.Return { return dat.SRQPostRecv(w.srq, 3, nil, cookie) }},
		{"dat_srq_post_recv", dat.InvalidParameter, func(w *world) dat.Return { return dat.SRQPostRecv(w.srq, -1, nil, cookie) }},
		{"dat_srq_post_recv", dat.InsufficientResources, func(w *world) dat.Return {
			return full(func() dat.Return { return dat.SRQPostRecv(w.srq, 1, w.u.mem.iov(0, 8), cookie) })
		}},
		{"dat_srq_post_recv", dat.ProtectionViolation, func(w *world) dat.Return {
			ok(w.t, dat.PZCreate(w.u.ia, &pz))
			m := register(w.t, w.u.ia, pz, 64, allPriv)
			return dat.SRQPostRecv(w.srq, 1, m.iov(0, 8), cookie)
		}},
		{"dat_srq_post_recv", dat.PrivilegesViolation, func(w *world) dat.Return {
			m := register(w.t, w.u.ia, w.u.pz, 64, dat.MemPrivLocalReadFlag)
			return dat.SRQPostRecv(w.srq, 1, m.iov(0, 8), cookie)
		}},
		{"dat_srq_resize", dat.InvalidParameter, func(w *world) dat.Return { return dat.SRQResize(w.srq, 0) }},
		{"dat_srq_resize", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.SRQPostRecv(w.srq, 1, w.u.mem.iov(0, 8), cookie))
			ok(w.t, dat.SRQPostRecv(w.srq, 1, w.u.mem.iov(0, 8), cookie))
			return dat.SRQResize(w.srq, 1)
		}},
		{"dat_srq_resize", dat.InvalidState, func(w *world) dat.Return {
			ok(w.t, dat.SRQSetLW(w.srq, 3))
			return dat.SRQResize(w.srq, 2)
		}},
		{"dat_srq_set_lw", dat.InvalidParameter, func(w *world) dat.Return { return dat.SRQSetLW(w.srq, 5) }},
		{"dat_srq_free", dat.InvalidState, func(w *world) dat.Return {
			_, q := sharedSide(w.t, 4)
			return dat.SRQFree(q)
		}},
		{"dat_extension_op", dat.NotImplemented, func(w *world) dat.Return { return dat.ExtensionOp(w.u.ep, dat.IBUDSendOp, 0, nil, nil, cookie, 0) }},
		{"dat_extension_op", dat.NotImplemented, func(w *world) dat.Return { return dat.ExtensionOp(w.u.ep, 999) }},
		{"dat_extension_op", dat.InvalidParameter, func(w *world) dat.Return { return dat.ExtensionOp(w.u.ep, dat.IBUDSendOp, "0", nil, nil, cookie, 0) }},
		{"dat_ib_post_fetch_and_add", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.IBPostFetchAndAdd(w.c.ep, 1, &w.seg()[0], cookie, w.peer.mem.remote(4, 8), 0) // not aligned
		}},
		{"dat_ib_post_fetch_and_add", dat.InvalidState, func(w *world) dat.Return {
			return dat.IBPostFetchAndAdd(w.u.ep, 1, &w.u.mem.iov(0, 8)[0], cookie, w.to(), 0)
		}},
		{"dat_ib_post_fetch_and_add", dat.PrivilegesViolation, func(w *world) dat.Return {
			return dat.IBPostFetchAndAdd(w.c.ep, 1, &w.unknown()[0], cookie, w.to(), 0)
		}},
		{"dat_ib_post_cmp_and_swap", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.IBPostCmpAndSwap(w.c.ep, 1, 1, nil, cookie, w.to(), 0)
		}},
		{"dat_ib_post_cmp_and_swap", dat.InvalidState, func(w *world) dat.Return {
			return dat.IBPostCmpAndSwap(w.u.ep, 1, 1, &w.u.mem.iov(0, 8)[0], cookie, w.to(), 0)
		}},
		{"dat_ib_post_cmp_and_swap", dat.PrivilegesViolation, func(w *world) dat.Return {
			return dat.IBPostCmpAndSwap(w.c.ep, 1, 1, &w.bare.iov(0, 8)[0], cookie, w.to(), 0)
		}},
		{"dat_ib_post_rdma_write_immed", dat.InvalidParameter, func(w *world) dat.Return {
			return dat.IBPostRDMAWriteImmed(w.c.ep, 0, nil, cookie, nil, 1, 0)
		}},
		{"dat_ib_post_rdma_write_immed", dat.InvalidState, func(w *world) dat.Return {
			return dat.IBPostRDMAWriteImmed(w.u.ep, 0, nil, cookie, w.to(), 1, 0)
		}},
		{"dat_ib_post_rdma_write_immed", dat.LengthError, func(w *world) dat.Return {
			return dat.IBPostRDMAWriteImmed(w.c.ep, 1, big(w), cookie, w.to(), 1, 0)
		}},
		{"dat_ib_open_query", dat.ProviderNotFound, func(w *world) dat.Return { return dat.IBOpenQuery("nobody", &ia, 0, nil, 0, nil) }},
		{"dat_ib_open_query", dat.InvalidParameter, func(w *world) dat.Return { return dat.IBOpenQuery("soft", &ia, 1, nil, 0, nil) }},
	}...)
}

func bindOf(w *world, rmr dat.RMRHandle, seg []dat.LMRTriplet, priv dat.MemPrivFlags) dat.Return {
	return dat.RMRBind(rmr, &seg[0], priv, w.c.ep, num(1), 0, nil)
}

// boundWindow binds the world's window to memory of c.
func boundWindow(w *world) *dat.RMRTriplet {
	w.t.Helper()
	var key dat.RMRContext
	seg := w.c.mem.iov(0, 64)
	ok(w.t, dat.RMRBind(w.rmr, &seg[0], dat.MemPrivAllFlag, w.c.ep, num(1), 0, &key))
	expect(w.t, w.c.req, dat.RMRBindCompletionEvent)
	r := w.c.mem.remote(0, 64)
	r.RMRContext = key
	return r
}

// connectedWith is another endpoint of c, with other attributes, connected.
func connectedWith(w *world, change func(*dat.EPAttr)) dat.EPHandle {
	t := w.t
	t.Helper()
	at := w.c.attr()
	change(&at)
	s := *w.c
	ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, &at, &s.ep))
	connect(newSide(t, usual, nil), &s, usual)
	return s.ep
}

// TestWorld checks the objects that the provocations need.
func TestWorld(t *testing.T) { newWorld(t) }
