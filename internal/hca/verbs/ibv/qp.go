package ibv

import (
	"structs"
)

// QPType is enum ibv_qp_type.
type QPType uint32

// Types of queue pairs.
const (
	QPTypeRC QPType = 2
	QPTypeUC QPType = 3
	QPTypeUD QPType = 4
)

// QPState is enum ibv_qp_state.
type QPState uint32

// States of queue pairs.
const (
	QPReset QPState = iota
	QPInit
	QPRTR
	QPRTS
	QPSQD
	QPSQE
	QPError
	QPUnknown
)

// QPCap is struct ibv_qp_cap.
type QPCap struct {
	_             structs.HostLayout
	MaxSendWR     uint32
	MaxRecvWR     uint32
	MaxSendSGE    uint32
	MaxRecvSGE    uint32
	MaxInlineData uint32
}

// QPInitAttr is struct ibv_qp_init_attr.
type QPInitAttr struct {
	_        structs.HostLayout
	Context  uintptr
	SendCQ   CQ
	RecvCQ   CQ
	SRQ      SRQ
	Cap      QPCap
	Type     QPType
	SQSigAll int32
}

type qpLayout struct {
	_         structs.HostLayout
	context   Context
	qpContext uintptr
	pd        PD
	sendCQ    CQ
	recvCQ    CQ
	srq       SRQ
	handle    uint32
	num       uint32
	state     QPState
	kind      QPType
}

// Num gives the queue pair's number, which is in every [WC].
func (q QP) Num() uint32 { return at[qpLayout](q).num }

// Context gives the device that the queue pair is on.
func (q QP) Context() Context { return at[qpLayout](q).context }

// UserContext gives the number in [QPInitAttr] Context.
func (q QP) UserContext() uintptr { return at[qpLayout](q).qpContext }
