package ibv

import (
	"encoding/binary"
	"net/netip"
)

// CreateID is rdma_create_id. user comes back from [ID.UserContext].
func (l *Lib) CreateID(c EventChannel, user uintptr, ps PortSpace) (ID, Errno) {
	id, b, e := scratch[ID]()
	if e != 0 {
		return 0, e
	}
	defer b.release()
	e = call(l.createID, uintptr(c), b.addr, user, uintptr(ps), 0).verbs()
	return *id, e
}

// DestroyID is rdma_destroy_id. It waits until the ID's events have been
// acknowledged; its queue pair must have been destroyed.
func (l *Lib) DestroyID(i ID) Errno { return call1(l.destroyID, i).verbs() }

// MigrateID is rdma_migrate_id: the ID's events go to another channel from now
// on. It waits until those already taken have been acknowledged.
func (l *Lib) MigrateID(i ID, c EventChannel) Errno { return call2(l.migrateID, i, uintptr(c)).verbs() }

// BindAddr is rdma_bind_addr. It is EADDRNOTAVAIL for a zone that names no
// interface.
func (l *Lib) BindAddr(i ID, a netip.AddrPort) Errno {
	s, b, e := scratch[sockaddr]()
	if e != 0 {
		return e
	}
	defer b.release()
	if s.set(a) != nil {
		return EADDRNOTAVAIL
	}
	return call2(l.bindAddr, i, b.addr).verbs()
}

// ResolveAddr is rdma_resolve_addr. The answer is an event, within the timeout
// in milliseconds; src may be the zero value. It is EADDRNOTAVAIL for a zone that
// names no interface.
func (l *Lib) ResolveAddr(i ID, src, dst netip.AddrPort, timeout int) Errno {
	s, b, e := scratch[[2]sockaddr]()
	if e != 0 {
		return e
	}
	defer b.release()
	if s[0].set(src) != nil || s[1].set(dst) != nil {
		return EADDRNOTAVAIL
	}
	from := b.addr
	if !src.IsValid() {
		from = 0
	}
	return call(l.resolveAddr, uintptr(i), from, b.addr+uintptr(sizeOf[sockaddr]()), uintptr(timeout), 0).verbs()
}

// ResolveRoute is rdma_resolve_route. The answer is an event, within the
// timeout in milliseconds.
func (l *Lib) ResolveRoute(i ID, timeout int) Errno {
	return call2(l.resolveRoute, i, uintptr(timeout)).verbs()
}

// CreateQP is rdma_create_qp: the queue pair is [ID.QP], and on success attr
// holds what it really has. The ID must be bound to a device.
func (l *Lib) CreateQP(i ID, p PD, attr *QPInitAttr) Errno {
	a, b, e := scratch[QPInitAttr]()
	if e != 0 {
		return e
	}
	defer b.release()
	*a = *attr
	e = call3(l.createQP, i, uintptr(p), b.addr).verbs()
	if e == 0 {
		*attr = *a
	}
	return e
}

// SrcPort is rdma_get_src_port: the local port, 0 if there is none.
func (l *Lib) SrcPort(i ID) uint16 { return port(call1(l.getSrcPort, i)) }

// DstPort is rdma_get_dst_port: the peer's port, 0 if there is none.
func (l *Lib) DstPort(i ID) uint16 { return port(call1(l.getDstPort, i)) }

// port is a port number that came back in network byte order.
func port(r result) uint16 {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], uint16(r.value))
	return binary.BigEndian.Uint16(b[:])
}

// SetOption is rdma_set_option. Integers are given in native byte order.
func (l *Lib) SetOption(i ID, level, option int, value []byte) Errno {
	b, err := alloc(len(value))
	if err != nil {
		return ENOMEM
	}
	defer b.release()
	copy(view[byte](b.addr, len(value)), value)
	return call(l.setOption, uintptr(i), uintptr(level), uintptr(option), b.addr, uintptr(len(value))).verbs()
}

// InitQPAttr is rdma_init_qp_attr: what moving the queue pair to the given
// state needs, and which fields those are.
func (l *Lib) InitQPAttr(i ID, state QPState) (QPAttr, QPAttrMask, Errno) {
	type both struct {
		attr QPAttr
		mask QPAttrMask
	}
	a, b, e := scratch[both]()
	if e != 0 {
		return QPAttr{}, 0, e
	}
	defer b.release()
	a.attr.State = state
	e = call3(l.initQPAttr, i, b.addr, b.addr+uintptr(sizeOf[QPAttr]())).verbs()
	return a.attr, a.mask, e
}
