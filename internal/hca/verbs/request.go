package verbs

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// refusal is the private data of a rejection by the library. A peer of this
// library recognizes it: a listener has no other way to say that its backlog
// is full.
var refusal = []byte("\x00nobody\x00")

// request is a peer that waits for an answer.
type request struct {
	ad            *adapter
	id            *cmID
	private       []byte
	local, remote string
	out, in       uint8 // reads that the peer lets this side do, and wants to do

	mu       sync.Mutex
	answered bool
	// gone is closed when the peer has given up.
	gone bool
}

func (r *request) Local() string   { return r.local }
func (r *request) Remote() string  { return r.remote }
func (r *request) Private() []byte { return r.private }

// cmEvent handles the event that the peer does not wait any more.
func (r *request) cmEvent(ev *ibv.CMEvent) {
	r.mu.Lock()
	r.gone = true
	r.mu.Unlock()
}

// answer claims the request for the caller, so that it is answered once. If start, which may
// be nil, fails, the request stays unanswered.
func (r *request) answer(op string, start func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return hca.NewError(hca.State, op, r.remote, "the request has been answered")
	}
	if start != nil {
		if err := start(); err != nil {
			return err
		}
	}
	r.answered = true
	remove(r.ad, r.ad.requests, r)
	return nil
}

// Accept connects a new queue pair.
func (r *request) Accept(ctx context.Context, peer hca.QP, p hca.ConnParams) error {
	const op = "Accept"
	a := r.ad
	if err := a.begin(op); err != nil {
		return err
	}
	defer a.calls.leave()
	q, ok := peer.(*qp)
	if !ok || q.ad != a {
		return hca.NewError(hca.Invalid, op, r.remote, "the queue pair is not of this adapter")
	}
	if len(p.Private) > a.attr.MaxPrivateData {
		return tooMuchPrivate(op, &a.attr)
	}
	if err := r.answer(op, func() error { return q.start(op, connecting) }); err != nil {
		return err
	}
	return q.connectFailed(r.accept(ctx, op, q, p))
}

func (r *request) accept(ctx context.Context, op string, q *qp, p hca.ConnParams) error {
	a := r.ad
	q.mu.Lock()
	q.id, q.passive = r.id, true
	q.info.ReadsOut, q.info.ReadsIn = q.agreed(r.out, r.in)
	out, in := q.info.ReadsOut, q.info.ReadsIn
	q.mu.Unlock()
	a.cm.direct(r.id.ID, q)
	r.mu.Lock()
	gone := r.gone
	r.mu.Unlock()
	if gone {
		return hca.NewError(hca.Disconnected, op, r.remote, "the peer has given up")
	}
	err := contextError(ctx, op, r.remote)
	if q.mu.Lock(); err == nil && q.cancelConnect() {
		err = q.givenUp(op, r.remote)
	}
	q.mu.Unlock()
	if err != nil {
		a.lib.Reject(r.id.ID, refusal)
		return err
	}
	if err := q.make(op, r.remote); err != nil {
		a.lib.Reject(r.id.ID, refusal)
		return r.peerGone(op, err)
	}
	e := a.lib.Accept(r.id.ID, &ibv.ConnParam{
		PrivateData:        p.Private,
		ResponderResources: uint8(in), InitiatorDepth: uint8(out),
		FlowControl: 1, RNRRetryCount: a.rnrRetries(),
	})
	close(q.called)
	if e != 0 {
		return r.peerGone(op, explain(op, r.remote, e, "the connection could not be accepted"))
	}
	return q.answer(ctx, op, r.remote)
}

// peerGone returns the error of a call on the request. If the libraries report
// an invalid identifier, the peer has given up.
func (r *request) peerGone(op string, err error) error {
	if errors.Is(err, ibv.EINVAL) || errors.Is(err, ibv.ENOTCONN) || errors.Is(err, ibv.ECONNRESET) {
		return hca.Wrap(hca.Disconnected, op, r.remote, "the peer has given up", err)
	}
	return err
}

// Reject rejects the request and informs the peer.
func (r *request) Reject(private []byte) error {
	const op = "Reject"
	if err := r.ad.begin(op); err != nil {
		return err
	}
	defer r.ad.calls.leave()
	if len(private) > r.ad.attr.MaxPrivateData {
		return tooMuchPrivate(op, &r.ad.attr)
	}
	if err := r.answer(op, nil); err != nil {
		return err
	}
	defer r.id.close()
	if e := r.ad.lib.Reject(r.id.ID, private); e != 0 {
		return explain(op, r.remote, e, "")
	}
	return nil
}

// refuse rejects a request that the program has not answered.
func (r *request) refuse() {
	if r.answer("refuse", nil) == nil {
		r.ad.lib.Reject(r.id.ID, refusal)
		r.id.close()
	}
}

// refuseBecause is refuse for a request that no program has seen. Only the operator can be told.
func (r *request) refuseBecause(l *listener, why string) {
	if f := r.ad.opt.Refused; f != nil {
		f(r.remote, hca.NewError(hca.Refused, "listen", l.addr, why))
	}
	r.refuse()
}

// refused recognizes the library's refusal in the private data of a rejection.
func refused(private []byte) bool {
	return bytes.Equal(bytes.TrimRight(private, "\x00"), bytes.TrimRight(refusal, "\x00"))
}
