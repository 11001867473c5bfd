package soft

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// listener is a service that takes requests, on one path or several.
type listener struct {
	a       *adapter
	cfg     hca.ListenConfig
	host    string // as given
	service uint64
	name    string // the address, if it is a fabric's own and not host:service
	open    int    // so many paths take requests already

	mu     sync.Mutex
	closed bool
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

// shut ends it. It reports whether it was open.
func (l *listener) shut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := !l.closed
	l.closed = true
	return was
}

// deliver offers a request to the listener's owner.
func (l *listener) deliver(r hca.ConnRequest) bool {
	return !l.isClosed() && l.cfg.OnRequest(r)
}
