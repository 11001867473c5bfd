package ibv

import (
	"structs"
)

// MTU is enum ibv_mtu.
type MTU uint32

// Bytes gives the size that an MTU code stands for: 256 to 4096, or 0.
func (m MTU) Bytes() int {
	if m < MTU256 || m > MTU4096 {
		return 0
	}
	return 128 << m
}

// MTUs.
const (
	MTU256 MTU = iota + 1
	MTU512
	MTU1024
	MTU2048
	MTU4096
)

// PortState is enum ibv_port_state.
type PortState uint32

// States of ports. A port carries data in PortActive.
const (
	PortNop PortState = iota
	PortDown
	PortInit
	PortArmed
	PortActive
	PortActiveDefer
)

// Link layers of ports.
const (
	LinkLayerUnspecified uint8 = iota
	LinkLayerInfiniBand
	LinkLayerEthernet
)

// PortAttr is struct ibv_port_attr.
type PortAttr struct {
	_             structs.HostLayout
	State         PortState
	MaxMTU        MTU
	ActiveMTU     MTU
	GIDTblLen     int32
	PortCapFlags  uint32
	MaxMsgSz      uint32
	BadPKeyCntr   uint32
	QKeyViolCntr  uint32
	PKeyTblLen    uint16
	LID           uint16
	SMLID         uint16
	LMC           uint8
	MaxVLNum      uint8
	SMSL          uint8
	SubnetTimeout uint8
	InitTypeReply uint8
	ActiveWidth   uint8
	ActiveSpeed   uint8
	PhysState     uint8
	LinkLayer     uint8
	Flags         uint8
	PortCapFlags2 uint16
}
