package ibv

import (
	"structs"
)

// QPAttrMask is enum ibv_qp_attr_mask: which fields of [QPAttr] are meant.
type QPAttrMask uint32

// Fields of QPAttr.
const (
	QPAttrState QPAttrMask = 1 << iota
	QPAttrCurState
	QPAttrEnSQDAsyncNotify
	QPAttrAccessFlags
	QPAttrPKeyIndex
	QPAttrPort
	QPAttrQKey
	QPAttrAV
	QPAttrPathMTU
	QPAttrTimeout
	QPAttrRetryCnt
	QPAttrRNRRetry
	QPAttrRQPSN
	QPAttrMaxQPRDAtomic
	QPAttrAltPath
	QPAttrMinRNRTimer
	QPAttrSQPSN
	QPAttrMaxDestRDAtomic
	QPAttrPathMigState
	QPAttrCap
	QPAttrDestQPN
)

// GID is union ibv_gid, in network byte order.
type GID [16]byte

// GlobalRoute is struct ibv_global_route.
type GlobalRoute struct {
	_            structs.HostLayout
	_            [0]uint64 // union ibv_gid is aligned like a 64-bit word
	DGID         GID
	FlowLabel    uint32
	SGIDIndex    uint8
	HopLimit     uint8
	TrafficClass uint8
}

// AHAttr is struct ibv_ah_attr, the path to the peer.
type AHAttr struct {
	_           structs.HostLayout
	GRH         GlobalRoute
	DLID        uint16
	SL          uint8
	SrcPathBits uint8
	StaticRate  uint8
	IsGlobal    uint8
	PortNum     uint8
}

// QPAttr is struct ibv_qp_attr.
type QPAttr struct {
	_                structs.HostLayout
	State            QPState
	CurState         QPState
	PathMTU          MTU
	PathMigState     uint32
	QKey             uint32
	RQPSN            uint32
	SQPSN            uint32
	DestQPNum        uint32
	Access           Access
	Cap              QPCap
	AH               AHAttr
	AltAH            AHAttr
	PKeyIndex        uint16
	AltPKeyIndex     uint16
	EnSQDAsyncNotify uint8
	SQDraining       uint8
	MaxRDAtomic      uint8
	MaxDestRDAtomic  uint8
	MinRNRTimer      uint8
	PortNum          uint8
	Timeout          uint8
	RetryCnt         uint8
	RNRRetry         uint8
	AltPortNum       uint8
	AltTimeout       uint8
	RateLimit        uint32
}
