package core

import (
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

// Listener is a service that accepts requests, on one path or several.
type Listener struct {
	Adapter *Adapter
	Config  hca.ListenConfig
	Host    string // as given
	Service uint64
	Name    string // the address, if the fabric has its own form and not host:service
	Open    int    // the number of paths that accept requests already

	mu     sync.Mutex
	closed bool
}

func (l *Listener) Addr() string {
	if l.Name != "" {
		return l.Name
	}
	return hostport.Join(l.Host, l.Service)
}

func (l *Listener) IsClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Shut closes the listener. It reports whether it was open.
func (l *Listener) Shut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := !l.closed
	l.closed = true
	return was
}

// Deliver offers a request to the listener's owner.
func (l *Listener) Deliver(r hca.ConnRequest) bool {
	if l.IsClosed() {
		l.Refused(r.Remote(), "the listener is closed")
		return false
	}
	return l.Config.OnRequest(r)
}

// Refused reports a request that is refused before the listener's owner sees it.
func (l *Listener) Refused(peer, why string) {
	l.Adapter.Refused(peer, hca.NewError(hca.Refused, "listen", l.Addr(), why))
}

// Refused reports a request that is refused. While the adapter closes that is no news.
func (a *Adapter) Refused(peer string, cause error) {
	if f := a.Options.Refused; f != nil && a.Background.Context().Err() == nil {
		f(peer, cause)
	}
}
