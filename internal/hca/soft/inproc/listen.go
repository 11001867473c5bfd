package inproc

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

// registry lists the services that listeners of this process offer.
var registry = struct {
	mu   sync.Mutex
	m    map[registryKey]*core.Listener
	next uint64
}{m: make(map[registryKey]*core.Listener)}

type registryKey struct {
	host    string // canonical address, or "" for all of this machine's
	service uint64
}

// known is a service in the registry.
type known struct{ key registryKey }

func (*known) Serve() {}

func (s *known) Close() {
	registry.mu.Lock()
	delete(registry.m, s.key)
	registry.mu.Unlock()
}

// Listen enters the service in the registry.
func (*Path) Listen(_ context.Context, l *core.Listener) (core.Service, error) {
	canonical, local := hostport.Local(l.Host)
	if ip, err := netip.ParseAddr(canonical); err == nil && ip.IsUnspecified() {
		canonical = ""
	}
	if !local {
		if l.Open > 0 {
			return nil, nil // a name that only the network path knows
		}
		return nil, hca.NewError(hca.BadAddress, "listen", l.Config.Address, "the in-process path has addresses of this machine only: use :service or localhost:service")
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for try := 0; l.Service == 0; try++ {
		if try == hostport.Dynamic {
			return nil, hca.NewError(hca.ServiceInUse, "listen", l.Config.Address, "this process already listens on all services that can be chosen")
		}
		service := hostport.FirstDynamic + registry.next%hostport.Dynamic
		registry.next++
		if registry.m[registryKey{canonical, service}] == nil && registry.m[registryKey{"", service}] == nil {
			l.Service = service
		}
	}
	key := registryKey{canonical, l.Service}
	if registry.m[key] != nil {
		return nil, hca.NewError(hca.ServiceInUse, "listen", l.Config.Address, fmt.Sprintf("this process already listens on service %d", l.Service))
	}
	registry.m[key] = l
	return &known{key}, nil
}

// find returns the listener of a service in this process.
func find(host string, service uint64) *core.Listener {
	canonical, local := hostport.Local(host)
	if !local {
		return nil
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	names := [...]string{canonical, "", "127.0.0.1"}
	n := len(names)
	if canonical != "" {
		n-- // the caller names an address, so no other one is tried
	}
	for _, h := range names[:n] {
		if l := registry.m[registryKey{h, service}]; l != nil {
			return l
		}
	}
	return nil
}
