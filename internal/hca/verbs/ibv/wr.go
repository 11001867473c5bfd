package ibv

import (
	"encoding/binary"
	"structs"
)

// WROpcode is enum ibv_wr_opcode: what a send work request does.
type WROpcode uint32

// Opcodes of send work requests.
const (
	WRRDMAWrite WROpcode = iota
	WRRDMAWriteWithImm
	WRSend
	WRSendWithImm
	WRRDMARead
	WRAtomicCmpAndSwp
	WRAtomicFetchAndAdd
	WRLocalInv
	WRBindMW
	WRSendWithInv
)

// SendFlags is enum ibv_send_flags.
type SendFlags uint32

// Flags of send work requests.
const (
	SendFence SendFlags = 1 << iota
	SendSignaled
	SendSolicited
	SendInline
)

// SGE is struct ibv_sge: a piece of registered local memory.
type SGE struct {
	_      structs.HostLayout
	Addr   uint64
	Length uint32
	LKey   uint32
}

// SendWR is struct ibv_send_wr, without what only UD, XRC and TSO need. Its
// unions are set by its methods.
type SendWR struct {
	_      structs.HostLayout
	ID     uint64
	Next   uintptr // the next SendWR of the chain, or 0
	SGList uintptr // NumSGE entries of SGE
	NumSGE int32
	Opcode WROpcode
	Flags  SendFlags
	// ImmOrKey is the immediate data in network byte order (SetImm), or the key
	// to invalidate (SetInvalidate).
	ImmOrKey uint32

	// The union wr: remoteAddr is shared by rdma and atomic. rdma has its rkey
	// where atomic has compare_add.
	remoteAddr uint64
	compareAdd uint64
	swap       uint64
	atomicRKey uint32
	_          uint32

	remoteSRQN uint32
	_          uint32

	bindMW   MW
	bindRKey uint32
	_        uint32
	bindInfo MWBindInfo
}

// SetImm sets the immediate data, given in host byte order.
func (w *SendWR) SetImm(v uint32) { w.ImmOrKey = hton32(v) }

// SetInvalidate sets the remote key that the request invalidates, there
// (WRSendWithInv) or here (WRLocalInv).
func (w *SendWR) SetInvalidate(rkey uint32) { w.ImmOrKey = rkey }

// SetRDMA sets the remote memory of an RDMA read or write.
func (w *SendWR) SetRDMA(addr uint64, rkey uint32) {
	w.remoteAddr = addr
	w.compareAdd = low32(rkey)
}

// SetFetchAdd sets the remote word of a fetch-and-add and what is added.
func (w *SendWR) SetFetchAdd(addr uint64, rkey uint32, add uint64) {
	w.remoteAddr, w.atomicRKey = addr, rkey
	w.compareAdd, w.swap = add, 0
}

// SetCompareSwap sets the remote word of a compare-and-swap: where it holds
// compare, it becomes swap.
func (w *SendWR) SetCompareSwap(addr uint64, rkey uint32, compare, swap uint64) {
	w.remoteAddr, w.atomicRKey = addr, rkey
	w.compareAdd, w.swap = compare, swap
}

// SetBindMW sets the window of type 2 that the request binds, the key it is to
// have (the window's own, with other lowest 8 bits) and the memory.
func (w *SendWR) SetBindMW(mw MW, rkey uint32, info MWBindInfo) {
	w.bindMW, w.bindRKey, w.bindInfo = mw, rkey, info
}

// RecvWR is struct ibv_recv_wr.
type RecvWR struct {
	_      structs.HostLayout
	ID     uint64
	Next   uintptr // the next RecvWR of the chain, or 0
	SGList uintptr // NumSGE entries of SGE
	NumSGE int32
}

// hton32 swaps between host and network byte order.
func hton32(v uint32) uint32 {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], v)
	return binary.NativeEndian.Uint32(b[:])
}

// low32 is the 64-bit word whose first four bytes in memory are v.
func low32(v uint32) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint32(b[:], v)
	return binary.NativeEndian.Uint64(b[:])
}

// first32 is the value of the first four bytes in memory of a 64-bit word.
func first32(v uint64) uint32 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	return binary.NativeEndian.Uint32(b[:])
}
