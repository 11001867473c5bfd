package verbs

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// backlog is how many requests the kernel keeps for the listener's goroutine.
const backlog = 1024

// listener takes requests on one address.
type listener struct {
	ad   *adapter
	cfg  hca.ListenConfig
	id   *cmID
	addr string

	mu     sync.Mutex
	closed bool
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	const op = "Listen"
	if err := a.check(op); err != nil {
		return nil, err
	}
	if cfg.OnRequest == nil {
		return nil, hca.NewError(hca.Invalid, op, cfg.Address, "nobody would take the requests: OnRequest is nil")
	}
	if err := contextError(ctx, op, cfg.Address); err != nil {
		return nil, err
	}
	all, err := a.dev.host.parse(ctx, op, cfg.Address)
	if err != nil {
		return nil, err
	}
	on := all[max(0, slices.IndexFunc(all, func(to netip.AddrPort) bool { return a.hasAddress(to.Addr()) }))]
	if err := a.begin(op); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	l := &listener{ad: a, cfg: cfg}
	id, e := a.cm.create(l)
	if e != 0 {
		return nil, explainAddress(op, cfg.Address, e, "")
	}
	l.id = id
	if err := l.open(op, on); err != nil {
		id.close()
		return nil, err
	}
	if err := add(a, op, a.listeners, l, struct{}{}); err != nil {
		id.close()
		return nil, err
	}
	return l, nil
}

// open binds and listens. Requests come as soon as it listens: all that they need is there before.
func (l *listener) open(op string, on netip.AddrPort) error {
	a, asked := l.ad, l.cfg.Address
	if e := l.bind(on); e != 0 {
		return explainAddress(op, asked, e, "")
	}
	host := on.Addr()
	if !host.IsValid() || host.IsUnspecified() {
		host = a.addrs[0].ip
	} else if l.id.Verbs() != a.dev.ctx {
		return hca.NewError(hca.BadAddress, op, asked, "the address does not belong to the device "+a.attr.Name)
	}
	l.mu.Lock() // the goroutine that takes requests locks it, too
	l.addr = netip.AddrPortFrom(host, a.lib.SrcPort(l.id.ID)).String()
	l.mu.Unlock()
	if e := a.lib.Listen(l.id.ID, backlog); e != 0 {
		return explainAddress(op, asked, e, "")
	}
	return nil
}

// bind binds to an address of the device. Without a host it is every address of this machine;
// requests that come by another device are not taken.
func (l *listener) bind(on netip.AddrPort) ibv.Errno {
	a := l.ad
	if !on.Addr().IsValid() {
		any := netip.IPv4Unspecified()
		if !a.addrs[0].ip.Is4() {
			any = netip.IPv6Unspecified()
		}
		on = netip.AddrPortFrom(any, on.Port())
	}
	e := a.lib.BindAddr(l.id.ID, on)
	if e == ibv.EADDRNOTAVAIL && on.Port() != 0 && a.hasAddress(on.Addr()) {
		// The kernel says so, too, where one of two listeners is on every address.
		return ibv.EADDRINUSE
	}
	return e
}

// hasAddress reports whether the address belongs to this device.
func (a *adapter) hasAddress(ip netip.Addr) bool {
	return ip.IsUnspecified() || slices.ContainsFunc(a.addrs, func(l local) bool { return l.ip == ip })
}

func (l *listener) Addr() string { return l.addr }

// Close stops taking requests.
func (l *listener) Close() error {
	if err := l.ad.begin("Listener.Close"); err != nil {
		return err
	}
	defer l.ad.calls.leave()
	return l.close()
}

func (l *listener) close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return hca.NewError(hca.Closed, "Listener.Close", l.addr, "it has been closed")
	}
	l.closed = true
	l.mu.Unlock()
	remove(l.ad, l.ad.listeners, l)
	l.id.close()
	return nil
}

// cmEvent takes a request.
func (l *listener) cmEvent(ev *ibv.CMEvent) {
	a := l.ad
	if ev.Type != ibv.CMConnectRequest {
		return
	}
	r := &request{ad: a, private: ev.Conn.PrivateData, local: ev.ID.LocalAddr().String(), remote: ev.ID.PeerAddr().String(),
		out: ev.Conn.InitiatorDepth, in: ev.Conn.ResponderResources}
	r.id = a.cm.adopt(ev.ID, r)
	l.mu.Lock()
	closed := l.closed
	l.mu.Unlock()
	switch {
	case closed:
		r.refuseBecause(l, "the listener is closed")
		return
	case ev.ID.Verbs() != a.dev.ctx:
		r.refuseBecause(l, "the request came by another device: listen on its address, or on its adapter")
		return
	}
	if err := add(a, "Listen", a.requests, r, struct{}{}); err != nil || !a.calls.enter() {
		r.refuse()
		return
	}
	defer a.calls.leave()
	if !l.cfg.OnRequest(r) {
		r.refuse()
	}
}
