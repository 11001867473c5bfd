package rdma

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// PostBind queues the binding of a window (uDAPL: dat_rmr_bind). It returns at once the
// mem.Remote that peers may use after the bind has completed; a later send on the same
// endpoint may carry it. The former key is valid until then. A bind that fails later breaks
// the connection. For the errors see PostSend; also ErrPrivileges if the region lacks the
// local right that a remote right requires, and ErrInvalid if To is not empty and Rights has
// no remote right. PostBind allocates.
func (e *Endpoint) PostBind(b Bind) (mem.Remote, error) {
	sess := e.session.Load()
	if sess == nil {
		return mem.Remote{}, e.notConnected("post bind")
	}
	return sess.postBindOf(b)
}

// postBindOf posts a bind of the program.
func (sess *session) postBindOf(b Bind) (mem.Remote, error) {
	closed := b.Flags&closedBind != 0
	b.Flags &^= closedBind
	if b.Flags&^readFlags != 0 {
		return mem.Remote{}, sess.refused("post bind", flagError(b.Flags, readFlags))
	}
	quiet := b.Flags&NoCompletion != 0
	p := sess.pending.openBind(sess.sendQ, &b, quiet)
	flags := hca.Flags(b.Flags&^NoCompletion) | hca.Private
	if quiet {
		// The completion is needed to free p; it must not wake the consumer.
		flags |= hca.Quiet
	}
	remote, err := sess.postBind(p, &b, flags, closed)
	if errors.Is(err, hca.QueueFull) {
		// The entries of binds without a completion take room until somebody looks into the queue. A program that
		// expects no completion may never do that.
		sess.sendQ.pump()
		remote, err = sess.postBind(p, &b, flags, closed)
	}
	if err != nil {
		sess.pending.unposted(p)
	}
	return remote, sess.told("post bind", err)
}

// postBind posts the bind of p.
func (sess *session) postBind(p *pendingOp, b *Bind, flags hca.Flags, closed bool) (mem.Remote, error) {
	if b.Window == nil {
		return mem.Remote{}, hca.NewError(hca.Invalid, "", "", "there is no window")
	}
	return sess.zone.memory.Bind(b.Window, b.To, b.Rights, closed, func(bind *hca.Bind) error {
		return sess.poster().PostSend(hca.SendWR{ID: p.id, Op: hca.OpBind, Flags: flags, Bind: bind})
	})
}
