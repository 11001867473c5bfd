package ibv_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// connected gives the two ends of a connection; srq may be 0.
func connected(r *rig, srq ibv.SRQ) (client, server *side) {
	t := r.t
	listener, addr := r.listen(7)
	param := func(private string) *ibv.ConnParam {
		return &ibv.ConnParam{PrivateData: []byte(private), ResponderResources: 3, InitiatorDepth: 2, RetryCount: 7, RNRRetryCount: 7}
	}
	client = newSide(r, r.route(8, addr), 0)
	ok(t, "rdma_connect", r.lib.Connect(client.id, param("hello")))
	ask := r.event(0, ibv.CMConnectRequest)
	if ask.ListenID != listener || ask.ID.UserContext() != 7 || !bytes.HasPrefix(ask.Conn.PrivateData, []byte("hello")) {
		t.Errorf("asked of %#x (user %d) with %q", ask.ListenID, ask.ID.UserContext(), ask.Conn.PrivateData)
	}
	// What one side may issue, the other is asked to accept.
	if ask.Conn.ResponderResources != 2 || ask.Conn.InitiatorDepth != 3 {
		t.Errorf("asked for %d reads in and %d out", ask.Conn.ResponderResources, ask.Conn.InitiatorDepth)
	}
	server = newSide(r, ask.ID, srq)
	if srq == 0 {
		server.receive(4)
	}
	ok(t, "rdma_accept", r.lib.Accept(server.id, param("welcome")))
	answer := r.event(client.id, ibv.CMEstablished)
	if !bytes.HasPrefix(answer.Conn.PrivateData, []byte("welcome")) {
		t.Errorf("answered with %q", answer.Conn.PrivateData)
	}
	r.event(server.id, ibv.CMEstablished)
	if p := client.id.PeerAddr(); p != addr || r.lib.DstPort(client.id) != addr.Port() || server.id.LocalAddr() != addr {
		t.Errorf("connected to %v, port %d; the server has %v; want %v", p, r.lib.DstPort(client.id), server.id.LocalAddr(), addr)
	}
	if client.id.LocalAddr().Port() != r.lib.SrcPort(client.id) || server.id.PeerAddr() != client.id.LocalAddr() {
		t.Errorf("the client is %v, to the server %v", client.id.LocalAddr(), server.id.PeerAddr())
	}
	ok(t, "rdma_destroy_id", r.lib.DestroyID(listener))
	return client, server
}

func TestConnection(t *testing.T) {
	each(t, func(t *testing.T, lib *ibv.Lib, c ibv.Context) {
		r := newRig(t, lib, c)
		client, server := connected(r, 0)
		exchange(r, client, server)
		atomics(r, client, server)
		window(r, client, server)
		misfit(r, client)

		attr, init, e := lib.QueryQP(client.qp, ibv.QPAttrState|ibv.QPAttrCap)
		ok(t, "ibv_query_qp", e)
		if attr.State != ibv.QPRTS || init.Cap.MaxSendWR < depth {
			t.Errorf("state %d, %+v", attr.State, init.Cap)
		}
		ok(t, "rdma_disconnect", lib.Disconnect(client.id))
		r.event(server.id, ibv.CMDisconnected)
		// Over InfiniBand the other side is answered only now; over iWARP it is too
		// late to say anything.
		if e := lib.Disconnect(server.id); e != 0 && c.Device().TransportType() == ibv.TransportIB {
			t.Errorf("rdma_disconnect of the other side: %v", e)
		}
		r.event(client.id, ibv.CMDisconnected)
		ok(t, "ibv_modify_qp", lib.ModifyQP(server.qp, &ibv.QPAttr{State: ibv.QPError}, ibv.QPAttrState))
		attr, _, e = lib.QueryQP(server.qp, ibv.QPAttrState)
		ok(t, "ibv_query_qp", e)
		if attr.State != ibv.QPError {
			t.Errorf("state %d after it was made the error state", attr.State)
		}
		if wc := server.completion(); wc.Status != ibv.WCWRFlushErr || wc.ID != 102 {
			t.Errorf("a receive left over: request %d, %s", wc.ID, lib.WCStatusString(wc.Status))
		}
		client.close()
		server.close()
	})
}

// exchange sends, writes and reads; four receives are posted, two are used.
func exchange(r *rig, client, server *side) {
	t := r.t
	copy(client.mem.S[2048:], "first")
	write := ibv.SendWR{ID: 1, Opcode: ibv.WRRDMAWrite}
	write.SetRDMA(uint64(server.mem.Addr(1024)), server.mr.RKey())
	send := ibv.SendWR{ID: 2, Opcode: ibv.WRSend, Flags: ibv.SendSignaled | ibv.SendSolicited}
	ibv.Count(true)
	before := ibv.Crossings()
	e := client.post(2048, 5, write, send)
	crossed := ibv.Crossings() - before
	ibv.Count(false)
	ok(t, "ibv_post_send", e)
	if crossed != 1 {
		t.Errorf("a chain of two took %d crossings", crossed)
	}
	client.done("send", 2, ibv.WCSend)
	if wc := server.done("receive", 100, ibv.WCRecv); wc.ByteLen != 5 || string(server.mem.S[:5]) != "first" {
		t.Errorf("received %d bytes, %q", wc.ByteLen, server.mem.S[:5])
	}
	if string(server.mem.S[1024:1029]) != "first" {
		t.Errorf("written: %q", server.mem.S[1024:1029])
	}

	if r.c.Device().TransportType() == ibv.TransportIB {
		w := ibv.SendWR{ID: 3, Opcode: ibv.WRSendWithImm, Flags: ibv.SendSignaled}
		w.SetImm(0x01020304)
		ok(t, "ibv_post_send", client.post(2048, 5, w))
		client.done("send with immediate", 3, ibv.WCSend)
		if wc := server.done("receive", 101, ibv.WCRecv); wc.Flags&ibv.WCWithImm == 0 || wc.Imm() != 0x01020304 {
			t.Errorf("immediate data %#x, flags %#x", wc.Imm(), wc.Flags)
		}
	} else {
		ok(t, "ibv_post_send", client.post(2048, 5, ibv.SendWR{ID: 3, Opcode: ibv.WRSend, Flags: ibv.SendSignaled}))
		client.done("send", 3, ibv.WCSend)
		server.done("receive", 101, ibv.WCRecv)
	}

	copy(server.mem.S[3000:], "to be read")
	read := ibv.SendWR{ID: 4, Opcode: ibv.WRRDMARead, Flags: ibv.SendSignaled}
	read.SetRDMA(uint64(server.mem.Addr(3000)), server.mr.RKey())
	ok(t, "ibv_post_send", client.post(0, 10, read))
	client.done("read", 4, ibv.WCRDMARead)
	if string(client.mem.S[:10]) != "to be read" {
		t.Errorf("read: %q", client.mem.S[:10])
	}
}

// misfit posts a request of more pieces than the queue pair takes: the call
// names it.
func misfit(r *rig, client *side) {
	client.send.S[0] = ibv.SendWR{Opcode: ibv.WRSend, SGList: client.piece(0, 0, 8), NumSGE: 99}
	client.bad.S[0] = 0
	e := client.frame.PostSend(client.qp, client.send.Addr(0), client.bad.Addr(0))
	if e == 0 || client.bad.S[0] != client.send.Addr(0) {
		r.t.Errorf("99 pieces: %v, refused %#x, want %#x", e, client.bad.S[0], client.send.Addr(0))
	}
}
