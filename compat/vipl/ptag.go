package vipl

import "github.com/godapl/godapl/rdma"

// ptag is a protection tag: a zone.
type ptag struct {
	nic    *nic
	handle ProtectionHandle // 0: the NIC's own
	zone   *rdma.Zone
}

// CreatePtag makes a protection tag (VipCreatePtag). A VI uses regions of its own tag only.
func CreatePtag(nicHandle NICHandle, ptagHandle *ProtectionHandle) Return {
	n := getNIC(nicHandle)
	if n == nil || ptagHandle == nil {
		return InvalidParameter
	}
	*ptagHandle = 0
	zone, err := n.adapter.NewZone()
	if err != nil {
		return result(err)
	}
	t := &ptag{nic: n, zone: zone, handle: ProtectionHandle(tags.Reserve())}
	tags.Put(uint64(t.handle), t)
	if !n.add(uint64(t.handle), func() { tags.Remove(uint64(t.handle)) }) {
		tags.Remove(uint64(t.handle))
		zone.Close()
		return InvalidParameter
	}
	*ptagHandle = t.handle
	return Success
}

// DestroyPtag ends a protection tag (VipDestroyPtag). ErrorResource while a VI or a region
// has it.
func DestroyPtag(nicHandle NICHandle, ptagHandle ProtectionHandle) Return {
	n := getNIC(nicHandle)
	if n == nil {
		return InvalidParameter
	}
	t := n.tag(ptagHandle)
	if t == nil || t.handle == 0 {
		return InvalidPtag
	}
	if err := t.zone.Close(); err != nil {
		return result(err)
	}
	if !tags.Remove(uint64(ptagHandle)) {
		return InvalidPtag
	}
	n.forget(uint64(ptagHandle))
	return Success
}
