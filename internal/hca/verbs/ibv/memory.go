package ibv

import "structs"

// Access is enum ibv_access_flags: rights on registered memory and windows.
type Access uint32

// Rights. Reading locally is always allowed.
const (
	AccessLocalWrite Access = 1 << iota
	AccessRemoteWrite
	AccessRemoteRead
	AccessRemoteAtomic
	AccessMWBind
	AccessZeroBased
	AccessOnDemand
	AccessHugeTLB
)

// MWType is enum ibv_mw_type.
type MWType uint32

// Types of memory windows: 1 is bound by ibv_bind_mw and used by every queue
// pair of the protection domain, 2 is bound by a send work request and used by
// one.
const (
	MWType1 MWType = 1
	MWType2 MWType = 2
)

// MWBindInfo is struct ibv_mw_bind_info: the memory a window is bound to. With
// MR, Addr and Length zero it becomes unbound.
type MWBindInfo struct {
	_      structs.HostLayout
	MR     MR
	Addr   uint64
	Length uint64
	Access Access
}

// MWBind is struct ibv_mw_bind, the argument of [Frame.BindMW].
type MWBind struct {
	_     structs.HostLayout
	ID    uint64
	Flags SendFlags
	Info  MWBindInfo
}

// The beginnings of library structures, as far as they are read.
type (
	mrLayout struct {
		_       structs.HostLayout
		context Context
		pd      PD
		addr    uintptr
		length  uintptr
		handle  uint32
		lkey    uint32
		rkey    uint32
	}
	mwLayout struct {
		_       structs.HostLayout
		context Context
		pd      PD
		rkey    uint32
		handle  uint32
		kind    MWType
	}
	pdLayout struct {
		_       structs.HostLayout
		context Context
		handle  uint32
	}
)

// Context gives the device that the protection domain is on.
func (p PD) Context() Context { return at[pdLayout](p).context }

// LKey gives the key for local use, in an [SGE].
func (m MR) LKey() uint32 { return at[mrLayout](m).lkey }

// RKey gives the key for the peer.
func (m MR) RKey() uint32 { return at[mrLayout](m).rkey }

// Addr gives the address that was registered.
func (m MR) Addr() uintptr { return at[mrLayout](m).addr }

// Length gives the length that was registered, in bytes.
func (m MR) Length() int { return int(at[mrLayout](m).length) }

// PD gives the protection domain.
func (m MR) PD() PD { return at[mrLayout](m).pd }

// RKey gives the window's current key for the peer. For a window of type 1,
// [Frame.BindMW] changes it; for type 2, the caller chooses the lowest 8 bits.
func (m MW) RKey() uint32 { return at[mwLayout](m).rkey }

// SetRKey tells the library the key that a bind by a work request gives to a
// window of type 2: some drivers name the window by it next time.
func (m MW) SetRKey(rkey uint32) { at[mwLayout](m).rkey = rkey }

// Type gives the window's type.
func (m MW) Type() MWType { return at[mwLayout](m).kind }

// PD gives the protection domain.
func (m MW) PD() PD { return at[mwLayout](m).pd }

// IncRKey is ibv_inc_rkey: the key for the next bind of a window of type 2.
func IncRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }
