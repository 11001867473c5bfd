package soft

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// listener is a service that takes requests, in-process, over the network, or
// both.
type listener struct {
	a       *adapter
	cfg     hca.ListenConfig
	host    string // as given
	service uint64
	name    string // the address, if it is a fabric's own and not host:service
	key     loopKey
	inLoop  bool
	stream  *streamListener // nil: not over the network
	shm     *shmListener    // nil: not over shared memory

	mu     sync.Mutex
	closed bool
}

// loops are the services that this process offers to itself.
var loops = struct {
	mu   sync.Mutex
	m    map[loopKey]*listener
	next uint64
}{m: make(map[loopKey]*listener)}

type loopKey struct {
	host    string // canonical address, or "" for all of this machine's
	service uint64
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	const op = "listen"
	host, service, err := a.d.parse(op, cfg.Address)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctxError(ctx, op, cfg.Address, ctx.Err())
	}
	if cfg.OnRequest == nil {
		return nil, hca.NewError(hca.Invalid, op, cfg.Address, "nobody would take the requests")
	}
	l := &listener{a: a, cfg: cfg, host: host, service: service}
	if a.d.fabric != nil {
		if l.stream, err = a.listenStream(ctx, l); err != nil {
			return nil, err
		}
		l.service = l.stream.service
	}
	if err := l.offer(); err != nil {
		l.withdraw()
		return nil, err
	}
	if err := a.track(op, l); err != nil {
		l.withdraw()
		return nil, err
	}
	if l.stream != nil {
		l.stream.serve()
	}
	if l.shm != nil {
		l.shm.serve()
	}
	return l, nil
}

// offer makes the service known in this process and on this host.
func (l *listener) offer() error {
	a := l.a
	if a.d.loop {
		if err := l.enter(); err != nil {
			return err
		}
	}
	if !a.d.shm {
		return nil
	}
	var err error
	if l.shm, err = a.listenShm(l); err != nil && l.stream == nil && !a.d.loop {
		return err
	}
	if err != nil && !a.sayUnable(err) {
		a.log.Info("no path over shared memory to this listener", "address", l.Addr(), "error", err)
	}
	return nil
}

// withdraw ends what offer and the stream have begun.
func (l *listener) withdraw() {
	l.leave()
	if l.stream != nil {
		l.stream.close()
	}
	if l.shm != nil {
		l.shm.close()
	}
}

// enter makes the service known in this process.
func (l *listener) enter() error {
	canonical, local := localHost(l.host)
	if ip, err := netip.ParseAddr(canonical); err == nil && ip.IsUnspecified() {
		canonical = ""
	}
	if !local {
		if l.stream != nil {
			return nil // a name that only the network knows
		}
		return hca.NewError(hca.BadAddress, "listen", l.cfg.Address, "the in-process path has addresses of this machine only: use :service or localhost:service")
	}
	loops.mu.Lock()
	defer loops.mu.Unlock()
	if l.service == 0 {
		for {
			l.service = 49152 + loops.next%16384
			loops.next++
			if loops.m[loopKey{canonical, l.service}] == nil && loops.m[loopKey{"", l.service}] == nil {
				break
			}
		}
	}
	key := loopKey{canonical, l.service}
	if loops.m[key] != nil {
		return hca.NewError(hca.ServiceInUse, "listen", l.cfg.Address, fmt.Sprintf("this process already listens on service %d", l.service))
	}
	loops.m[key] = l
	l.key, l.inLoop = key, true
	return nil
}

func (l *listener) leave() {
	if l.inLoop {
		loops.mu.Lock()
		delete(loops.m, l.key)
		loops.mu.Unlock()
	}
}

// findLoop finds who offers a service in this process.
func findLoop(host string, service uint64) *listener {
	canonical, local := localHost(host)
	if !local {
		return nil
	}
	loops.mu.Lock()
	defer loops.mu.Unlock()
	names := [...]string{canonical, "", "127.0.0.1"}
	n := len(names)
	if canonical != "" {
		n-- // an address was named, so no other will do
	}
	for _, h := range names[:n] {
		if l := loops.m[loopKey{h, service}]; l != nil {
			return l
		}
	}
	return nil
}

func (l *listener) Addr() string {
	if l.name != "" {
		return l.name
	}
	return joinAddress(l.host, l.service)
}

func (l *listener) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// deliver offers a request to the listener's owner.
func (l *listener) deliver(r hca.ConnRequest) bool {
	return !l.isClosed() && l.cfg.OnRequest(r)
}

func (l *listener) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.withdraw()
	l.a.untrack(l)
	return nil
}
