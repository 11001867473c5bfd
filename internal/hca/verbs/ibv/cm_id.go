package ibv

import (
	"net/netip"
	"structs"
)

type (
	connParamLayout struct {
		_                  structs.HostLayout
		privateData        uintptr
		privateDataLen     uint8
		responderResources uint8
		initiatorDepth     uint8
		flowControl        uint8
		retryCount         uint8
		rnrRetryCount      uint8
		srq                uint8
		qpNum              uint32
	}
	udParamLayout struct {
		_              structs.HostLayout
		privateData    uintptr
		privateDataLen uint8
		ah             AHAttr
		qpNum          uint32
		qkey           uint32
	}
	cmEventLayout struct {
		_        structs.HostLayout
		id       ID
		listenID ID
		event    CMEventType
		status   int32
		conn     connParamLayout // a union with udParamLayout, which is longer
		_        [4]uint64
	}
	eventChannelLayout struct {
		_  structs.HostLayout
		fd int32
	}
	idLayout struct {
		_             structs.HostLayout
		verbs         Context
		channel       EventChannel
		context       uintptr
		qp            QP
		src           sockaddr
		dst           sockaddr
		sgid, dgid    GID
		pkey          uint16
		_             [6]byte
		pathRec       uintptr
		numPaths      int32
		_             [4]byte
		ps            PortSpace
		portNum       uint8
		event         uintptr
		sendCQChannel CompChannel
		sendCQ        CQ
		recvCQChannel CompChannel
		recvCQ        CQ
		srq           SRQ
		pd            PD
		qpType        QPType
	}
)

// FD gives the channel's file descriptor, which the library owns.
func (c EventChannel) FD() int { return int(at[eventChannelLayout](c).fd) }

// Verbs gives the device that the ID is bound to, or 0.
func (i ID) Verbs() Context { return at[idLayout](i).verbs }

// QP gives the queue pair that [Lib.CreateQP] made, or 0.
func (i ID) QP() QP { return at[idLayout](i).qp }

// TakeQP detaches the queue pair from the ID and returns it. Before that,
// [Lib.GetCMEvent] changes the queue pair's state when the peer answers, so the two
// must not be called at the same time. Afterwards the queue pair can be destroyed while
// events are read.
func (i ID) TakeQP() QP {
	p := at[idLayout](i)
	q := p.qp
	p.qp = 0
	return q
}

// UserContext gives the number passed to [Lib.CreateID]. An ID that comes with
// CMConnectRequest has its listener's.
func (i ID) UserContext() uintptr { return at[idLayout](i).context }

// PortNum gives the number of the device's port that the ID is bound to, or 0.
func (i ID) PortNum() int { return int(at[idLayout](i).portNum) }

// SGID gives the local GID that the route uses.
func (i ID) SGID() GID { return at[idLayout](i).sgid }

// DGID gives the peer's GID that the route uses.
func (i ID) DGID() GID { return at[idLayout](i).dgid }

// LocalAddr gives the local address, the zero value if there is none.
func (i ID) LocalAddr() netip.AddrPort { return at[idLayout](i).src.addrPort() }

// PeerAddr gives the peer's address, the zero value if there is none.
func (i ID) PeerAddr() netip.AddrPort { return at[idLayout](i).dst.addrPort() }
