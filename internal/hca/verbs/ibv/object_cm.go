package ibv

import (
	"encoding/binary"
	"net/netip"
)

// NewEventChannel makes a channel of the connection manager's events.
func NewEventChannel(fd int) EventChannel {
	p, h := object[eventChannelLayout, EventChannel]()
	p.fd = int32(fd)
	return h
}

// NewID makes an identifier.
func NewID(ch EventChannel, user uintptr, ps PortSpace) ID {
	p, h := object[idLayout, ID]()
	p.channel, p.context, p.ps = ch, user, ps
	return h
}

// Bind sets the device, the port and the local address of an identifier.
func (i ID) Bind(c Context, port uint8, a netip.AddrPort) {
	p := at[idLayout](i)
	p.verbs, p.portNum = c, port
	_ = p.src.set(a) // zones of simulations are none
}

// SetPeer sets the peer's address.
func (i ID) SetPeer(a netip.AddrPort) { _ = at[idLayout](i).dst.set(a) }

// SetQP attaches a queue pair.
func (i ID) SetQP(q QP) { at[idLayout](i).qp = q }

// SockaddrAt reads an address that a call was given; 0 has none.
func SockaddrAt(addr uintptr) netip.AddrPort {
	if addr == 0 {
		return netip.AddrPort{}
	}
	return at[sockaddr](addr).addrPort()
}

// ConnParamAt reads a struct rdma_conn_param.
func ConnParamAt(addr uintptr) ConnParam {
	p := at[connParamLayout](addr)
	return ConnParam{
		PrivateData:        append([]byte(nil), view[byte](p.privateData, int(p.privateDataLen))...),
		ResponderResources: p.responderResources, InitiatorDepth: p.initiatorDepth, FlowControl: p.flowControl,
		RetryCount: p.retryCount, RNRRetryCount: p.rnrRetryCount, SRQ: p.srq, QPNum: p.qpNum,
	}
}

// NewCMEvent makes a struct rdma_cm_event, for FreeObject.
func NewCMEvent(ev *CMEvent) uintptr {
	p, h := object[cmEventLayout, uintptr]()
	c := &ev.Conn
	*p = cmEventLayout{
		id: ev.ID, listenID: ev.ListenID, event: ev.Type, status: int32(ev.Status),
		conn: connParamLayout{
			responderResources: c.ResponderResources, initiatorDepth: c.InitiatorDepth, flowControl: c.FlowControl,
			retryCount: c.RetryCount, rnrRetryCount: c.RNRRetryCount, srq: c.SRQ, qpNum: c.QPNum,
		},
	}
	if n := len(c.PrivateData); n > 0 {
		p.conn.privateData = h + uintptr(sizeOf[cmEventLayout]())
		p.conn.privateDataLen = uint8(n)
		copy(view[byte](p.conn.privateData, n), c.PrivateData)
	}
	return h
}

// NetworkPort is a port as rdma_get_src_port returns it: its bytes in network order.
func NetworkPort(p uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], p)
	return binary.NativeEndian.Uint16(b[:])
}
