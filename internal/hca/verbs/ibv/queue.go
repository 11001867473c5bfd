package ibv

import "structs"

// SRQAttr is struct ibv_srq_attr.
type SRQAttr struct {
	_      structs.HostLayout
	MaxWR  uint32
	MaxSGE uint32
	Limit  uint32
}

// SRQInitAttr is struct ibv_srq_init_attr.
type SRQInitAttr struct {
	_       structs.HostLayout
	Context uintptr
	Attr    SRQAttr
}

// SRQAttrMask is enum ibv_srq_attr_mask: what [Lib.ModifySRQ] changes.
type SRQAttrMask uint32

// Attributes of a shared receive queue.
const (
	SRQMaxWR SRQAttrMask = 1 << iota
	SRQLimit
)

// The beginnings of library structures, as far as they are read.
type (
	compChannelLayout struct {
		_       structs.HostLayout
		context Context
		fd      int32
		refcnt  int32
	}
	cqLayout struct {
		_         structs.HostLayout
		context   Context
		channel   CompChannel
		cqContext uintptr
		handle    uint32
		cqe       int32
	}
	srqLayout struct {
		_          structs.HostLayout
		context    Context
		srqContext uintptr
		pd         PD
		handle     uint32
	}
)

// FD gives the channel's file descriptor, which the library owns.
func (c CompChannel) FD() int { return int(at[compChannelLayout](c).fd) }

// CQE gives the number of entries that the queue holds, at least what was asked for.
func (c CQ) CQE() int { return int(at[cqLayout](c).cqe) }

// Context gives the device that the queue is on.
func (c CQ) Context() Context { return at[cqLayout](c).context }

// UserContext gives the number passed to [Lib.CreateCQ].
func (c CQ) UserContext() uintptr { return at[cqLayout](c).cqContext }

// Context gives the device that the queue is on.
func (s SRQ) Context() Context { return at[srqLayout](s).context }
