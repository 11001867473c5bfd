package ibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// word is the 64-bit number at the beginning of a memory.
func word(mem []byte) (v uint64) {
	for i := range 8 {
		v |= uint64(mem[i]) << (8 * i)
	}
	return v
}

func atomics(r *rig, client, server *side) {
	t := r.t
	a, e := r.lib.QueryDevice(r.c)
	ok(t, "ibv_query_device", e)
	if a.AtomicCap == ibv.AtomicNone {
		t.Log("the device has no atomic operations")
		return
	}
	clear(server.mem.S[512:520])
	server.mem.S[512] = 40
	at := uint64(server.mem.Addr(512))
	add := ibv.SendWR{ID: 20, Opcode: ibv.WRAtomicFetchAndAdd, Flags: ibv.SendSignaled}
	add.SetFetchAdd(at, server.mr.RKey(), 2)
	ok(t, "ibv_post_send", client.post(0, 8, add))
	client.done("fetch and add", 20, ibv.WCFetchAdd)
	if was, is := word(client.mem.S), word(server.mem.S[512:]); was != 40 || is != 42 {
		t.Errorf("40 and 2: was %d, is %d", was, is)
	}
	swap := ibv.SendWR{ID: 21, Opcode: ibv.WRAtomicCmpAndSwp, Flags: ibv.SendSignaled}
	swap.SetCompareSwap(at, server.mr.RKey(), 42, 99)
	ok(t, "ibv_post_send", client.post(0, 8, swap))
	client.done("compare and swap", 21, ibv.WCCompSwap)
	if was, is := word(client.mem.S), word(server.mem.S[512:]); was != 42 || is != 99 {
		t.Errorf("42 for 99: was %d, is %d", was, is)
	}
}

// window binds a window of type 1 on the server and writes through it.
func window(r *rig, client, server *side) {
	t := r.t
	a, e := r.lib.QueryDevice(r.c)
	ok(t, "ibv_query_device", e)
	if a.Caps&ibv.DeviceMemWindow == 0 {
		t.Log("the device has no memory windows")
		return
	}
	mw, e := r.lib.AllocMW(r.pd, ibv.MWType1)
	ok(t, "ibv_alloc_mw", e)
	bind := array[ibv.MWBind](t, 1)
	bind.S[0] = ibv.MWBind{ID: 30, Flags: ibv.SendSignaled, Info: ibv.MWBindInfo{
		MR: server.mr, Addr: uint64(server.mem.Addr(700)), Length: 10, Access: ibv.AccessRemoteWrite,
	}}
	ok(t, "ibv_bind_mw", server.frame.BindMW(server.qp, mw, bind.Addr(0)))
	server.done("bind", 30, ibv.WCBindMW)
	copy(client.mem.S, "by window")
	write := ibv.SendWR{ID: 31, Opcode: ibv.WRRDMAWrite, Flags: ibv.SendSignaled}
	write.SetRDMA(uint64(server.mem.Addr(700)), mw.RKey())
	ok(t, "ibv_post_send", client.post(0, 9, write))
	client.done("write through the window", 31, ibv.WCRDMAWrite)
	if string(server.mem.S[700:709]) != "by window" {
		t.Errorf("written: %q", server.mem.S[700:709])
	}
	ok(t, "ibv_dealloc_mw", r.lib.DeallocMW(mw))
}

// A shared receive queue tells when it runs low.
func TestSharedReceiveQueue(t *testing.T) {
	each(t, func(t *testing.T, lib *ibv.Lib, c ibv.Context) {
		r := newRig(t, lib, c)
		init := ibv.SRQInitAttr{Attr: ibv.SRQAttr{MaxWR: 8, MaxSGE: 1}}
		srq, e := lib.CreateSRQ(r.pd, &init)
		ok(t, "ibv_create_srq", e)
		if init.Attr.MaxWR < 8 || srq.Context() != c {
			t.Errorf("queue of %+v on %#x", init.Attr, srq.Context())
		}
		client, server := connected(r, srq)
		for i := range 3 {
			server.recv.S[i] = ibv.RecvWR{ID: uint64(100 + i), SGList: server.piece(i, 64*i, 64), NumSGE: 1}
			ok(t, "ibv_post_srq_recv", server.frame.PostSRQRecv(srq, server.recv.Addr(i), server.bad.Addr(0)))
		}
		ok(t, "ibv_modify_srq", lib.ModifySRQ(srq, ibv.SRQAttr{Limit: 2}, ibv.SRQLimit))
		if a, e := lib.QuerySRQ(srq); e == ibv.EOPNOTSUPP {
			t.Log("the device cannot query a shared receive queue")
		} else if e != 0 || a.Limit != 2 || a.MaxWR < 8 {
			t.Errorf("limit set to 2, queue has %+v, %v", a, e)
		}
		for i := range 2 {
			w := ibv.SendWR{ID: uint64(i), Opcode: ibv.WRSend, Flags: ibv.SendSignaled}
			ok(t, "ibv_post_send", client.post(0, 8, w))
			client.done("send", uint64(i), ibv.WCSend)
			server.done("receive", uint64(100+i), ibv.WCRecv)
		}
		var ev ibv.AsyncEvent
		await(t, "the limit's event", c.AsyncFD(), func() bool {
			ev, e = lib.GetAsyncEvent(c)
			if e == ibv.EAGAIN {
				return false
			}
			ok(t, "ibv_get_async_event", e)
			ok(t, "ibv_ack_async_event", lib.AckAsyncEvent(ev))
			return ev.Type == ibv.EventSRQLimitReached
		})
		if ev.SRQ() != srq || ev.QP() != 0 || ev.CQ() != 0 || ev.Port() != 0 {
			t.Errorf("the event is of %#x, want %#x", ev.SRQ(), srq)
		}
		client.close()
		server.close()
		ok(t, "ibv_destroy_srq", lib.DestroySRQ(srq))
	})
}

// A rejection comes with the reason and private data.
func TestReject(t *testing.T) {
	each(t, func(t *testing.T, lib *ibv.Lib, c ibv.Context) {
		r := newRig(t, lib, c)
		listener, addr := r.listen(0)
		client := newSide(r, r.route(0, addr), 0)
		ok(t, "rdma_connect", lib.Connect(client.id, &ibv.ConnParam{RetryCount: 7}))
		ask := r.event(0, ibv.CMConnectRequest)
		ok(t, "rdma_reject", lib.Reject(ask.ID, []byte("not now")))
		no := r.event(client.id, ibv.CMRejected)
		t.Logf("status %d, %d bytes of private data", no.Status, len(no.Conn.PrivateData))
		if no.Status == 0 || len(no.Conn.PrivateData) < 7 || string(no.Conn.PrivateData[:7]) != "not now" {
			t.Errorf("rejected with status %d, %q", no.Status, no.Conn.PrivateData)
		}
		ok(t, "rdma_destroy_id", lib.DestroyID(ask.ID))
		ok(t, "rdma_destroy_id", lib.DestroyID(listener))
		client.close()
	})
}
