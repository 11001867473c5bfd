package vipl

import "github.com/godapl/godapl/rdma/mem"

// SetMemAttributes lets peers write to registered memory and read it, or no longer, and gives
// it another tag, under the same handle (VipSetMemAttributes). When it returns, no access is
// under way that is not allowed any more. Posted descriptors of the former tag that use the
// memory complete with a protection error, and a call that uses the handle at the same time may
// find it invalid. ErrorNotSupported on devices. InvalidPtag and
// InvalidRdmaread are those of [RegisterMem].
func SetMemAttributes(nicHandle NICHandle, address []byte, memHandle MemHandle, memAttribs *MemAttributes) Return {
	r := find(nicHandle, address, memHandle)
	if r == nil || memAttribs == nil {
		return InvalidParameter
	}
	tag := r.nic.tag(memAttribs.Ptag)
	switch {
	case tag == nil:
		return InvalidPtag
	case memAttribs.EnableRdmaRead && r.nic.reads() == 0:
		return InvalidRdmaread
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed {
		return InvalidParameter
	}
	rights := r.native.Rights() & mem.Local // what the pages allow
	if memAttribs.EnableRdmaRead {
		rights |= mem.RemoteRead
	}
	if memAttribs.EnableRdmaWrite && rights&mem.LocalWrite != 0 {
		rights |= mem.RemoteWrite
	}
	if tag != r.tag {
		return r.move(tag, rights, *memAttribs)
	}
	if err := r.native.Modify(rights); err != nil {
		return result(err)
	}
	r.attrs = *memAttribs
	return Success
}

// move gives a region another tag: another region takes its place, under its handle. The
// caller holds mu.
func (r *region) move(tag *ptag, rights mem.Rights, attrs MemAttributes) Return {
	native, err := tag.zone.Adopt(r.native, rights)
	if err != nil {
		return result(err)
	}
	r.freed = true
	n := r.nic
	defer n.lose(r)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return InvalidParameter // the adapter frees it, and CloseNic unlocks the pages of r
	}
	moved := newRegion(tag, r.handle, r.bytes, native, attrs)
	delete(n.regions, r)
	n.regions[moved] = struct{}{}
	n.memory.Remove(uint32(r.handle))
	n.memory.Put(uint32(r.handle), moved)
	return Success
}
