package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// PostBind queues the binding of a window (uDAPL: dat_rmr_bind), and tells at
// once what peers may use after it has completed. A send that is posted behind
// it on the same endpoint may carry that. The former key is good until then. A
// bind that fails later breaks the connection. See PostSend for the errors;
// ErrPrivileges also if the region lacks the local right that corresponds to
// one of the peer; ErrInvalid also if To is not empty and Rights has no remote
// right. It allocates a little.
func (e *Endpoint) PostBind(b Bind) (mem.Remote, error) {
	l := e.link.Load()
	if l == nil {
		return mem.Remote{}, e.unlinked("post bind")
	}
	return l.postBindOf(b)
}

// postBindOf posts a bind of the program.
func (l *link) postBindOf(b Bind) (mem.Remote, error) {
	closed := b.Flags&closedBind != 0
	b.Flags &^= closedBind
	if b.Flags&^readFlags != 0 {
		return mem.Remote{}, l.refused("post bind", flagError(b.Flags, readFlags))
	}
	quiet := b.Flags&NoCompletion != 0
	k := l.calls.openBind(l.sendQ, &b, quiet)
	flags := hca.Flags(b.Flags&^NoCompletion) | hca.Private
	if quiet {
		// The entry is needed to give the call back, and wakes nobody.
		flags |= hca.Quiet
	}
	remote, err := l.postBind(k, &b, flags, closed)
	if err != nil {
		l.calls.unposted(k)
	}
	return remote, l.told("post bind", err)
}

// postBind posts a bind for a call.
func (l *link) postBind(k *call, b *Bind, flags hca.Flags, closed bool) (mem.Remote, error) {
	if b.Window == nil {
		return mem.Remote{}, hca.NewError(hca.Invalid, "", "", "there is no window")
	}
	return l.zone.memory.Bind(b.Window, b.To, b.Rights, closed, func(bind *hca.Bind) error {
		return l.poster().PostSend(hca.SendWR{ID: k.id, Op: hca.OpBind, Flags: flags, Bind: bind})
	})
}
