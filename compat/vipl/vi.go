package vipl

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// vi is a virtual interface: an endpoint, and its two queues of descriptors.
type vi struct {
	nic    *nic
	handle VIHandle
	ep     *rdma.Endpoint // see replace
	state  atomic.Uint32  // VIState
	// attempt numbers the attempts to connect. Completions of an earlier one do not count.
	attempt    atomic.Uint32
	send, recv workQueue

	// These change with both queues locked.
	attrs     VIAttributes
	tag       *ptag
	confirms  bool    // success of a native send does not prove reception, and the level wants it
	immediate [4]bool // by operation, whether the connection has immediate data
	armed     bool    // a receive goes to the adapter when it is posted: see arm

	mu     sync.Mutex    // guards what follows, and changes of state
	conn   *rdma.Conn    // while the state is StateConnected or StateError
	giveUp func()        // ends an attempt to connect; nil without one
	over   chan struct{} // closed at the end of that attempt
	peer   *meeting      // of ConnectPeerRequest
	gone   bool
}

// CreateVi makes a virtual interface (VipCreateVi), which is idle. Descriptors of a queue
// with a completion queue have entries there. The attributes are checked against the NIC's:
// InvalidReliabilityLevel, InvalidMTU, InvalidQOS, InvalidPtag, InvalidRdmaread.
func CreateVi(nicHandle NICHandle, viAttribs *VIAttributes, sendCQHandle, recvCQHandle CQHandle, viHandle *VIHandle) Return {
	if viHandle == nil {
		return InvalidParameter
	}
	*viHandle = 0
	n := getNIC(nicHandle)
	if n == nil || viAttribs == nil {
		return InvalidParameter
	}
	if ret := n.check(viAttribs); ret != Success {
		return ret
	}
	v := &vi{nic: n, attrs: *viAttribs, tag: n.tag(viAttribs.Ptag)}
	if v.tag == nil {
		return InvalidPtag
	}
	v.handle = VIHandle(vis.Reserve())
	if ret := v.make(sendCQHandle, recvCQHandle); ret != Success {
		vis.Cancel(uint64(v.handle))
		return ret
	}
	vis.Put(uint64(v.handle), v)
	if !n.add(uint64(v.handle), func() { v.end() }) {
		v.end()
		return InvalidParameter
	}
	*viHandle = v.handle
	return Success
}

// check compares the attributes of a VI with those of the NIC.
func (n *nic) check(a *VIAttributes) Return {
	switch {
	case bits.OnesCount16(uint16(a.ReliabilityLevel)) != 1 || a.ReliabilityLevel&n.offered() == 0:
		return InvalidReliabilityLevel
	case a.MaxTransferSize == 0 || a.MaxTransferSize > n.transfer():
		return InvalidMTU
	case a.QoS != nil:
		return InvalidQOS
	case n.tag(a.Ptag) == nil:
		return InvalidPtag
	case a.EnableRdmaRead && n.reads() == 0:
		return InvalidRdmaread
	}
	return Success
}

// make makes the queues and the endpoint.
func (v *vi) make(sendCQ, recvCQ CQHandle) Return {
	for _, side := range [...]struct {
		q  *workQueue
		cq CQHandle
	}{{&v.send, sendCQ}, {&v.recv, recvCQ}} {
		side.q.vi, side.q.recv = v, side.q == &v.recv
		if ret := side.q.make(side.cq); ret != Success {
			v.send.end()
			v.recv.end()
			return ret
		}
	}
	ep, err := v.nic.adapter.NewEndpoint(v.config(&v.attrs, v.tag))
	if err != nil {
		v.send.end()
		v.recv.end()
		return result(err)
	}
	v.ep = ep
	return Success
}

// config is what the endpoint of the VI is like.
func (v *vi) config(attrs *VIAttributes, tag *ptag) rdma.EndpointConfig {
	n := v.nic
	cfg := rdma.EndpointConfig{Zone: tag.zone, SendDepth: 2 * int(n.depth), RecvDepth: int(n.depth),
		SendSegments: int(n.segments), RecvSegments: int(n.segments),
		SendCQ: v.send.native, RecvCQ: v.recv.native, Tag: uint64(v.handle)}
	if !attrs.EnableRdmaRead {
		cfg.Refuse |= mem.RemoteRead
	}
	if !attrs.EnableRdmaWrite {
		cfg.Refuse |= mem.RemoteWrite
	}
	return cfg
}

// DestroyVi ends a virtual interface (VipDestroyVi), which must be idle: InvalidState
// otherwise. ErrorResource while a queue holds descriptors, completed ones included.
func DestroyVi(viHandle VIHandle) Return {
	v := getVI(viHandle)
	if v == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	switch {
	case v.gone:
		v.mu.Unlock()
		return InvalidParameter
	case v.is() != StateIdle:
		v.mu.Unlock()
		return InvalidState
	case !v.shut():
		v.mu.Unlock()
		return ErrorResource
	}
	v.gone = true
	v.mu.Unlock()
	v.nic.forget(uint64(viHandle))
	v.end()
	return Success
}

// shut has both queues take no more descriptors, or reports false if one of them has some.
func (v *vi) shut() bool {
	v.lockQueues()
	defer v.unlockQueues()
	if v.send.head != v.send.tail || v.recv.head != v.recv.tail {
		return false
	}
	v.send.depth, v.send.fits, v.recv.depth, v.recv.fits = 0, 0, 0, 0
	return true
}

// end takes the VI down in any state.
func (v *vi) end() {
	if !vis.Remove(uint64(v.handle)) {
		return
	}
	v.mu.Lock()
	v.gone = true
	giveUp := v.giveUp
	v.mu.Unlock()
	if giveUp != nil {
		giveUp()
	}
	v.lockQueues()
	ep := v.ep // one that replaces it ends with the adapter
	v.unlockQueues()
	ep.Close()
	v.send.end()
	v.recv.end()
}

func (v *vi) is() VIState { return VIState(v.state.Load()) }

// linked tells whether the state is StateConnected or StateError, which has that bit as well.
func (v *vi) linked() bool { return v.is()&StateConnected != 0 }

// QueryVi returns the state and the attributes of a VI, and whether its queues hold no
// descriptors (VipQueryVi). All outputs may be nil.
func QueryVi(viHandle VIHandle, state *VIState, viAttribs *VIAttributes, sendQEmpty, recvQEmpty *bool) Return {
	v := getVI(viHandle)
	if v == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	put(state, v.is())
	put(viAttribs, v.attrs)
	put(sendQEmpty, v.send.empty())
	put(recvQEmpty, v.recv.empty())
	return Success
}

// put sets an output that may be nil.
func put[T any](to *T, v T) {
	if to != nil {
		*to = v
	}
}

// SetViAttributes changes the attributes of an idle VI (VipSetViAttributes), with the checks
// of [CreateVi]. InvalidState if it is not idle.
func SetViAttributes(viHandle VIHandle, viAttribs *VIAttributes) Return {
	v := getVI(viHandle)
	if v == nil || viAttribs == nil {
		return InvalidParameter
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.gone:
		return InvalidParameter
	case v.is() != StateIdle:
		return InvalidState
	}
	if ret := v.nic.check(viAttribs); ret != Success {
		return ret
	}
	tag := v.nic.tag(viAttribs.Ptag)
	if tag == nil {
		return InvalidPtag
	}
	if err := v.ep.Modify(v.config(viAttribs, tag)); err != nil {
		return result(err)
	}
	v.lockQueues()
	v.attrs, v.tag = *viAttribs, tag
	v.send.forget()
	v.recv.forget()
	v.unlockQueues()
	return Success
}

func (v *vi) lockQueues() {
	v.send.mu.LockLong()
	v.recv.mu.LockLong()
}

func (v *vi) unlockQueues() {
	v.recv.mu.UnlockLong()
	v.send.mu.UnlockLong()
}
