package ibv_test

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// patience bounds every wait for the kernel.
const patience = 20 * time.Second

// await looks until look says so, parked on a duplicate of fd in between.
func await(t testing.TB, what string, fd int, look func() bool) {
	t.Helper()
	f := os.NewFile(uintptr(nonblocking(t, fd)), what)
	defer f.Close()
	if err := f.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Read(func(uintptr) bool { return look() }); err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}

// rig is one process's connection manager and a device with an address.
type rig struct {
	t     *testing.T
	lib   *ibv.Lib
	c     ibv.Context
	ch    ibv.EventChannel
	pd    ibv.PD
	addr  netip.AddrPort
	early []ibv.CMEvent
}

func newRig(t *testing.T, lib *ibv.Lib, c ibv.Context) *rig {
	r := &rig{t: t, lib: lib, c: c}
	var e ibv.Errno
	r.ch, e = lib.CreateEventChannel()
	ok(t, "rdma_create_event_channel", e)
	t.Cleanup(func() { lib.DestroyEventChannel(r.ch) })
	r.pd, e = lib.AllocPD(c)
	ok(t, "ibv_alloc_pd", e)
	t.Cleanup(func() { ok(t, "ibv_dealloc_pd", lib.DeallocPD(r.pd)) })
	if r.addr = r.address(); !r.addr.IsValid() {
		t.Skip("the device has no IP address")
	}
	return r
}

// address is an address of the device: one that binds to it.
func (r *rig) address() netip.AddrPort {
	all, err := net.InterfaceAddrs()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range all {
		p, err := netip.ParsePrefix(a.String())
		if err != nil || p.Addr().IsLoopback() || p.Addr().IsLinkLocalUnicast() {
			continue
		}
		id := r.id(0)
		addr := netip.AddrPortFrom(p.Addr(), 0)
		found := r.lib.BindAddr(id, addr) == 0 && id.Verbs() == r.c
		ok(r.t, "rdma_destroy_id", r.lib.DestroyID(id))
		if found {
			return addr
		}
	}
	return netip.AddrPort{}
}

func (r *rig) id(user uintptr) ibv.ID {
	id, e := r.lib.CreateID(r.ch, user, ibv.PortSpaceTCP)
	ok(r.t, "rdma_create_id", e)
	return id
}

// event waits for an event on an ID, or on a listener if id is 0.
func (r *rig) event(id ibv.ID, want ibv.CMEventType) ibv.CMEvent {
	r.t.Helper()
	for i, ev := range r.early {
		if ev.Type == want && (ev.ID == id || id == 0) {
			r.early = append(r.early[:i], r.early[i+1:]...)
			return ev
		}
	}
	for {
		var ev ibv.CMEvent
		await(r.t, r.lib.CMEventString(want), r.ch.FD(), func() bool {
			var e ibv.Errno
			if ev, e = r.lib.GetCMEvent(r.ch); e == ibv.EAGAIN {
				return false
			}
			ok(r.t, "rdma_get_cm_event", e)
			return true
		})
		ok(r.t, "rdma_ack_cm_event", r.lib.AckCMEvent(ev))
		switch {
		case ev.Type == want && (ev.ID == id || id == 0):
			return ev
		case ev.ID == id:
			r.t.Fatalf("%s (status %d) came instead of %s", r.lib.CMEventString(ev.Type), ev.Status, r.lib.CMEventString(want))
		}
		r.early = append(r.early, ev)
	}
}

// listen gives a listener on a port that the kernel chooses.
func (r *rig) listen(user uintptr) (ibv.ID, netip.AddrPort) {
	id := r.id(user)
	ok(r.t, "rdma_bind_addr", r.lib.BindAddr(id, r.addr))
	ok(r.t, "rdma_listen", r.lib.Listen(id, 8))
	addr := netip.AddrPortFrom(r.addr.Addr(), r.lib.SrcPort(id))
	if addr.Port() == 0 || id.LocalAddr() != addr {
		r.t.Errorf("listening on %v, port %d", id.LocalAddr(), addr.Port())
	}
	return id, addr
}

// route gives an ID that is ready to connect to addr.
func (r *rig) route(user uintptr, addr netip.AddrPort) ibv.ID {
	id := r.id(user)
	ok(r.t, "rdma_resolve_addr", r.lib.ResolveAddr(id, netip.AddrPort{}, addr, 5000))
	r.event(id, ibv.CMAddrResolved)
	if id.Verbs() != r.c || id.PortNum() != 1 || id.UserContext() != user {
		r.t.Errorf("resolved to device %#x (want %#x), port %d, user %d", id.Verbs(), r.c, id.PortNum(), id.UserContext())
	}
	ok(r.t, "rdma_resolve_route", r.lib.ResolveRoute(id, 5000))
	r.event(id, ibv.CMRouteResolved)
	return id
}
