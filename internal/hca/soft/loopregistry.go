package soft

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

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

// loopService is a service that is known in this process.
type loopService struct{ key loopKey }

func (*loopService) serve() {}

func (s *loopService) close() {
	loops.mu.Lock()
	delete(loops.m, s.key)
	loops.mu.Unlock()
}

// listen makes the service known in this process.
func (*loopPath) listen(_ context.Context, l *listener) (service, error) {
	canonical, local := localHost(l.host)
	if ip, err := netip.ParseAddr(canonical); err == nil && ip.IsUnspecified() {
		canonical = ""
	}
	if !local {
		if l.open > 0 {
			return nil, nil // a name that only the network knows
		}
		return nil, hca.NewError(hca.BadAddress, "listen", l.cfg.Address, "the in-process path has addresses of this machine only: use :service or localhost:service")
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
		return nil, hca.NewError(hca.ServiceInUse, "listen", l.cfg.Address, fmt.Sprintf("this process already listens on service %d", l.service))
	}
	loops.m[key] = l
	return &loopService{key}, nil
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
