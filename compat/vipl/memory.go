package vipl

import (
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// region is registered memory.
type region struct {
	nic    *nic
	handle MemHandle
	tag    *ptag
	base   uint64
	bytes  []byte
	places uint64 // how many bytes of it can be the first of a Descriptor
	native *mem.Region
	all    mem.Slice // of native
	attrs  MemAttributes
	mu     sync.Mutex
	freed  bool
	locked sync.Once // runs once, to unlock
}

// RegisterMem registers the first length bytes of virtualAddress (VipRegisterMem): exactly
// these, whatever else is on their pages. They may begin anywhere. Their contents do not
// change, and the pages stay in memory until DeregisterMem. The same memory may be
// registered many times, under handles that are independent.
//
// nil attributes mean the NIC's own tag, and no RDMA. Pages that cannot be written to are
// registered for what they allow; a use beyond that completes with a protection error.
//
// InvalidParameter if the length is 0, if virtualAddress is shorter, or if the pages allow
// nothing; ErrorResource if the memory cannot be kept in memory (ulimit -l) or the adapter
// has no room: nothing is locked then. A handle that could not be made is 0.
func RegisterMem(nicHandle NICHandle, virtualAddress []byte, length uint64, memAttribs *MemAttributes, memoryHandle *MemHandle) Return {
	if memoryHandle == nil {
		return InvalidParameter
	}
	*memoryHandle = 0
	n := getNIC(nicHandle)
	if n == nil || length == 0 || length > uint64(len(virtualAddress)) {
		return InvalidParameter
	}
	var attrs MemAttributes
	if memAttribs != nil {
		attrs = *memAttribs
	}
	tag := n.tag(attrs.Ptag)
	switch {
	case tag == nil:
		return InvalidPtag
	case attrs.EnableRdmaRead && n.reads() == 0:
		return InvalidRdmaread
	}
	r, ret := n.register(virtualAddress[:length:length], tag, attrs)
	if ret == Success {
		*memoryHandle = r.handle
	}
	return ret
}

func (n *nic) register(b []byte, tag *ptag, attrs MemAttributes) (*region, Return) {
	native, err := registerAllowed(tag.zone, b, attrs)
	if err != nil {
		return nil, result(err)
	}
	if !locks.lock(b) {
		native.Free()
		return nil, ErrorResource
	}
	handle := MemHandle(native.RemoteKey())
	if handle == 0 {
		handle = MemHandle(native.Key())
	}
	r := newRegion(tag, handle, b, native, attrs)
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		r.unlock()
		return nil, InvalidParameter // the adapter frees it
	case !n.memory.Put(uint32(r.handle), r): // a device has the number twice, as a local and as a remote key
		native.Free()
		r.unlock()
		return nil, ErrorResource
	}
	n.regions[r] = struct{}{}
	return r, Success
}

func newRegion(tag *ptag, h MemHandle, b []byte, native *mem.Region, attrs MemAttributes) *region {
	return &region{nic: tag.nic, tag: tag, handle: h, base: native.Addr(), bytes: b, places: uint64(max(0, len(b)-DescriptorAlignment+1)),
		native: native, all: native.All(), attrs: attrs}
}

// registerAllowed registers memory with the rights that its pages allow.
func registerAllowed(z *rdma.Zone, b []byte, attrs MemAttributes) (native *mem.Region, err error) {
	read, write := mem.LocalRead, mem.LocalWrite
	if attrs.EnableRdmaRead {
		read |= mem.RemoteRead
	}
	if attrs.EnableRdmaWrite {
		write |= mem.RemoteWrite
	}
	for _, rights := range [...]mem.Rights{read | write, read} {
		if native, err = z.Register(b, rights); err == nil || codeOf(err) != rdma.ErrPrivileges {
			return native, err
		}
	}
	return nil, err
}

// DeregisterMem ends a registration (VipDeregisterMem). virtualAddress begins where the
// registered memory does. Posted descriptors that use it complete with a protection error.
// The adapter no longer touches the memory when it returns.
func DeregisterMem(nicHandle NICHandle, virtualAddress []byte, memoryHandle MemHandle) Return {
	r := find(nicHandle, virtualAddress, memoryHandle)
	if r == nil {
		return InvalidParameter
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed {
		return InvalidParameter
	}
	n := r.nic
	n.memory.Remove(uint32(r.handle)) // once the region is freed, another one may have its number
	if err := r.native.Free(); err != nil {
		n.memory.Put(uint32(r.handle), r)
		return result(err)
	}
	r.freed = true
	n.mu.Lock()
	delete(n.regions, r)
	n.mu.Unlock()
	n.lose(r)
	r.unlock()
	return Success
}

// lose has the queues of the NIC forget a region, which no longer is in the table.
func (n *nic) lose(r *region) {
	for _, v := range n.virtual() {
		v.send.lose(r)
		v.recv.lose(r)
	}
}

// QueryMem returns how memory is registered (VipQueryMem).
func QueryMem(nicHandle NICHandle, address []byte, memHandle MemHandle, memAttribs *MemAttributes) Return {
	r := find(nicHandle, address, memHandle)
	if r == nil || memAttribs == nil {
		return InvalidParameter
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*memAttribs = r.attrs
	return Success
}

// find is the region of a handle, if the address is where it begins.
func find(h NICHandle, address []byte, handle MemHandle) *region {
	n := getNIC(h)
	if n == nil {
		return nil
	}
	r := n.memory.Get(uint32(handle))
	if r == nil || AddressOf(address) != r.base {
		return nil
	}
	return r
}

// unlock lets the pages leave memory.
func (r *region) unlock() { r.locked.Do(func() { locks.unlock(r.bytes) }) }

// begins tells whether a descriptor with two segments lies in the region, which a handle must stand for.
func (r *region) begins(d *Descriptor, h MemHandle) bool {
	at := d.address()
	return r.handle == h && at%DescriptorAlignment == 0 && at-r.base < r.places // huge if it lies before
}

// is tells whether a handle stands for this region, and whether the region has a tag.
func (r *region) is(h MemHandle, tag *ptag) bool { return r.handle == h && r.tag == tag }
