package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAConnectionWithoutReads: a read on a connection of which one side allows none lacks credits. The page of
// dat_ep_post_rdma_read has no MODEL_NOT_SUPPORTED. A read into a window is a read, and atomics count as reads.
func TestAConnectionWithoutReads(t *testing.T) {
	softOnly(t, "it may always have reads")
	for name, none := range map[string]func(passive, active *dat.EPAttr){
		"in":  func(passive, _ *dat.EPAttr) { passive.MaxRDMAReadIn = 0 },
		"out": func(_, active *dat.EPAttr) { active.MaxRDMAReadOut = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			passive, active := newSide(t, usual, nil), newSide(t, usual, nil)
			p, a := dat.EPParam{EPAttr: passive.attr()}, dat.EPParam{EPAttr: active.attr()}
			none(&p.EPAttr, &a.EPAttr)
			ok(t, dat.EPModify(passive.ep, dat.EPFieldEPAttrMaxRDMAReadIn, &p))
			ok(t, dat.EPModify(active.ep, dat.EPFieldEPAttrMaxRDMAReadOut, &a))
			connect(passive, active, usual)
			window, rmr := readWindow(t, active)
			for _, n := range []dat.Count{1, 2} { // both ways of a post
				iov := append(active.mem.iov(0, 8), active.mem.iov(8, 8)...)[:n]
				want(t, dat.EPPostRDMARead(active.ep, n, iov, num(1), passive.mem.remote(0, 8), 0), dat.InsufficientResources, dat.ResourceCredits)
			}
			local, remote := &active.mem.iov(0, 8)[0], passive.mem.remote(0, 8)
			for name, post := range map[string]func() dat.Return{
				"into a window":    func() dat.Return { return dat.EPPostRDMAReadToRMR(active.ep, window, num(1), remote, 0) },
				"fetch and add":    func() dat.Return { return dat.IBPostFetchAndAdd(active.ep, 1, local, num(1), remote, 0) },
				"compare and swap": func() dat.Return { return dat.IBPostCmpAndSwap(active.ep, 1, 2, local, num(1), remote, 0) },
			} {
				if ret := post(); ret.Type() != dat.InsufficientResources || ret.Subtype() != dat.ResourceCredits {
					t.Errorf("%s: %v", name, ret)
				}
			}
			empty(t, active.req)
			// After the end they are flushed, as every request is.
			ok(t, dat.EPDisconnect(active.ep, dat.CloseAbruptFlag))
			expect(t, active.conn, dat.ConnectionEventDisconnected)
			ok(t, dat.EPPostRDMARead(active.ep, 1, active.mem.iov(0, 8), num(1), remote, 0))
			completion(t, active.req, dat.DTOErrFlushed)
			ok(t, dat.IBPostFetchAndAdd(active.ep, 1, local, num(1), remote, 0))
			expect(t, active.req, dat.IBDTOEvent)
			ok(t, dat.RMRFree(rmr))
		})
	}
}

// readWindow is a window of 8 bytes that peers may write, by its key.
func readWindow(t *testing.T, s *side) (*dat.RMRTriplet, dat.RMRHandle) {
	t.Helper()
	var h dat.RMRHandle
	var key dat.RMRContext
	ok(t, dat.RMRCreate(s.pz, &h))
	to := s.mem.iov(0, 8)[0]
	ok(t, dat.RMRBind(h, &to, dat.MemPrivRemoteWriteFlag, s.ep, num(9), 0, &key))
	expect(t, s.req, dat.RMRBindCompletionEvent)
	return &dat.RMRTriplet{RMRContext: key, TargetAddress: to.VirtualAddress, SegmentLength: 8}, h
}
