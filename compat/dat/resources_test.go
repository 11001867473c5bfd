package dat_test

import (
	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// faulty is the usual adapter with faults in front of it.
const faulty = "test-faults"

var faults = &rdmatest.Faults{}

// resources are the calls that run out of resources. The real limits are too high for a
// test, so faults simulate them.
func resources() []provocation {
	var all []provocation
	for _, r := range []struct {
		call string
		at   rdmatest.Call
		sub  dat.Return
		do   func(s *side) dat.Return
	}{
		{"dat_ia_open", rdmatest.Open, dat.ResourceDevice, func(s *side) dat.Return {
			var async dat.EVDHandle
			var ia dat.IAHandle
			ret := dat.IAOpen(faulty, 8, &async, &ia)
			if ret == dat.Success { // the second time
				s.t.Cleanup(func() { dat.IAClose(ia, dat.CloseAbruptFlag) })
			}
			return ret
		}},
		{"dat_pz_create", rdmatest.NewZone, dat.ResourceProtectionDomain, func(s *side) dat.Return {
			var pz dat.PZHandle
			return dat.PZCreate(s.ia, &pz)
		}},
		{"dat_evd_create", rdmatest.NewCompletionQueue, dat.ResourceTEVD, func(s *side) dat.Return {
			var h dat.EVDHandle
			return dat.EVDCreate(s.ia, 8, dat.HandleNull, dat.EVDDTOFlag, &h)
		}},
		{"dat_evd_resize", rdmatest.ResizeCompletionQueue, dat.ResourceTEVD, func(s *side) dat.Return {
			return dat.EVDResize(s.req, 200)
		}},
		{"dat_psp_create", rdmatest.Listen, dat.ResourceDevice, func(s *side) dat.Return {
			var psp dat.PSPHandle
			return dat.PSPCreate(s.ia, service(""), s.cr, dat.PSPConsumerFlag, &psp)
		}},
		{"dat_psp_create_any", rdmatest.Listen, dat.ResourceDevice, func(s *side) dat.Return {
			var qual dat.ConnQual
			var psp dat.PSPHandle
			return dat.PSPCreateAny(s.ia, &qual, s.cr, dat.PSPConsumerFlag, &psp)
		}},
		{"dat_rsp_create", rdmatest.Listen, dat.ResourceDevice, func(s *side) dat.Return {
			var rsp dat.RSPHandle
			return dat.RSPCreate(s.ia, service(""), s.ep, s.cr, &rsp)
		}},
		{"dat_csp_create", rdmatest.Listen, dat.ResourceDevice, func(s *side) dat.Return {
			var csp dat.CSPHandle
			return dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, &tcpAddr{service("")}, s.cr, &csp)
		}},
		{"dat_ep_create", rdmatest.NewCompletionQueue, dat.ResourceTEP, func(s *side) dat.Return {
			var ep dat.EPHandle
			return dat.EPCreate(s.ia, s.pz, dat.HandleNull, s.req, s.conn, nil, &ep)
		}},
		{"dat_ep_create_10", rdmatest.NewCompletionQueue, dat.ResourceTEP, func(s *side) dat.Return {
			var ep dat.EPHandle
			return dat.EPCreate10(s.ia, s.pz, s.recv, dat.HandleNull, s.conn, dat.HandleNull, nil, &ep)
		}},
		{"dat_ep_create_with_srq", rdmatest.NewCompletionQueue, dat.ResourceTEP, func(s *side) dat.Return {
			var ep dat.EPHandle
			at := s.attr()
			return dat.EPCreateWithSRQ(s.ia, s.pz, s.recv, dat.HandleNull, s.conn, s.queue(), &at, &ep)
		}},
		{"dat_ep_connect", rdmatest.ConnectEndpoint, dat.ResourceTEP, func(s *side) dat.Return {
			return dat.EPConnect(s.ep, host(""), service(""), second, 0, nil, 0, 0)
		}},
		{"dat_ep_common_connect", rdmatest.ConnectEndpoint, dat.ResourceTEP, func(s *side) dat.Return {
			return dat.EPCommonConnect(s.ep, &tcpAddr{service("")}, second, 0, nil)
		}},
		{"dat_lmr_create", rdmatest.RegisterMemory, dat.ResourceMemoryRegion, func(s *side) dat.Return {
			var lmr dat.LMRHandle
			return dat.LMRCreate(s.ia, dat.MemTypeVirtual, region(), 64, s.pz, allPriv, &lmr, nil, nil, nil, nil)
		}},
		{"dat_lmr_create_10", rdmatest.RegisterMemory, dat.ResourceMemoryRegion, func(s *side) dat.Return {
			var lmr dat.LMRHandle
			return dat.LMRCreate10(s.ia, dat.MemTypeVirtual, region(), 64, s.pz, allPriv, &lmr, nil, nil, nil)
		}},
		{"dat_lmr_create_20", rdmatest.RegisterMemory, dat.ResourceMemoryRegion, func(s *side) dat.Return {
			var lmr dat.LMRHandle
			return dat.LMRCreate20(s.ia, dat.MemTypeVirtual, region(), 64, s.pz, allPriv, dat.VATypeVA, &lmr, nil, nil, nil, nil)
		}},
		{"dat_rmr_create", rdmatest.NewWindow, dat.ResourceMemoryRegion, func(s *side) dat.Return {
			var rmr dat.RMRHandle
			return dat.RMRCreate(s.pz, &rmr)
		}},
		{"dat_rmr_create_for_ep", rdmatest.NewWindow, dat.ResourceMemoryRegion, func(s *side) dat.Return {
			var rmr dat.RMRHandle
			return dat.RMRCreateForEP(s.pz, &rmr)
		}},
		{"dat_srq_create", rdmatest.NewSharedReceiveQueue, dat.ResourceSRQ, func(s *side) dat.Return {
			var srq dat.SRQHandle
			return dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 1}, &srq)
		}},
		{"dat_srq_resize", rdmatest.ResizeSharedReceiveQueue, dat.ResourceSRQ, func(s *side) dat.Return {
			return dat.SRQResize(s.queue(), 8)
		}},
	} {
		all = append(all, provocation{r.call, dat.InsufficientResources, func(w *world) dat.Return {
			s := newSide(w.t, faulty, nil)
			defer faults.Clear()
			faults.Set(r.at, rdma.ErrResources)
			ret := r.do(s)
			if ret.Subtype() != r.sub {
				w.t.Errorf("%v, want %v", ret, dat.ClassError|dat.InsufficientResources|r.sub)
			}
			// Nothing has changed: without the fault it works.
			faults.Clear()
			if again := r.do(s); again != dat.Success {
				w.t.Errorf("%v afterwards", again)
			}
			return ret
		}})
	}
	return append(all, provocation{"dat_ep_dup_connect", dat.InsufficientResources, dupConnectWithNothingLeft},
		provocation{"dat_cr_accept", dat.InsufficientResources, acceptWithNothingLeft})
}

func region() dat.RegionDescription { return dat.RegionDescription{ForVA: make([]byte, 64)} }

// queue is a shared receive queue.
func (s *side) queue() (srq dat.SRQHandle) {
	s.t.Helper()
	ok(s.t, dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 2}, &srq))
	return srq
}

func dupConnectWithNothingLeft(w *world) dat.Return {
	passive, active := pair(w.t, faulty)
	defer faults.Clear()
	var ep dat.EPHandle
	ok(w.t, dat.EPCreate(active.ia, active.pz, active.recv, active.req, active.conn, nil, &ep))
	faults.Set(rdmatest.ConnectEndpoint, rdma.ErrResources)
	ret := dat.EPDupConnect(ep, active.ep, second, 0, nil, 0)
	empty(w.t, passive.cr)
	return ret
}

// acceptWithNothingLeft leaves the request alive.
func acceptWithNothingLeft(w *world) dat.Return {
	passive, active := newSide(w.t, faulty, nil), newSide(w.t, faulty, nil)
	_, cr := request(passive, active, faulty, nil)
	defer faults.Clear()
	faults.Set(rdmatest.ConnectEndpoint, rdma.ErrResources)
	ret := dat.CRAccept(cr, passive.ep, 0, nil)
	faults.Clear()
	ok(w.t, dat.CRAccept(cr, passive.ep, 0, nil))
	expect(w.t, active.conn, dat.ConnectionEventEstablished)
	return ret
}
