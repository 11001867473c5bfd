package verbs

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// resolveTime bounds the resolution of the peer's address and route, if the caller's
// context does not.
const resolveTime = 10 * time.Second

// portTries is how many local ports are tried. siw binds to a port before it connects, and the kernel may choose one that is
// in use, or not free again yet. There are many, so two in a row are rare.
const portTries = 8

// Connect makes the connection.
func (q *qp) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	const op = "Connect"
	if len(p.Private) > q.ad.attr.MaxPrivateData {
		return tooMuchPrivate(op, &q.ad.attr)
	}
	if err := q.start(op, connecting); err != nil {
		return err
	}
	ctx, limit := hca.WithAnswerTime(ctx, address, 0)
	defer limit()
	ctx, stop := q.untilCancel(ctx, op, address)
	defer stop()
	err := q.connect(ctx, op, address, p)
	return q.connectFailed(err)
}

// connectFailed ends a queue pair whose connection could not be made. If the
// connection was established just when the caller gave up, it stays: its established
// event has been reported, and its end will be.
func (q *qp) connectFailed(err error) error {
	if err == nil || q.abort() {
		return err
	}
	<-q.opened
	return nil
}

// untilCancel is a context that ends when the connection being made is to fail.
func (q *qp) untilCancel(ctx context.Context, op, object string) (until context.Context, stop func()) {
	until, cancel := context.WithCancelCause(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.giveUp = func() { cancel(q.givenUp(op, object)) }; q.cancelConnect() {
		q.giveUp()
	}
	return until, func() { cancel(nil) }
}

// givenUp is the error of a connection that this side gives up while it is being made. Called
// with mu held.
func (q *qp) givenUp(op, object string) error {
	if q.cause != nil {
		return hca.Wrap(hca.Broken, op, object, "", q.cause)
	}
	return hca.NewError(hca.Canceled, op, object, "the queue pair was disconnected or closed meanwhile")
}

// stopConnecting makes the connection attempt fail. Called with mu held, so that the
// connection cannot be established afterwards.
func (q *qp) stopConnecting() {
	q.cancelOnce.Do(func() {
		close(q.cancel)
		if q.giveUp != nil {
			q.giveUp()
		}
	})
}

// cancelConnect reports whether the connection attempt is to fail.
func (q *qp) cancelConnect() bool { return shut(q.cancel) }

// start moves a new queue pair to the next state.
func (q *qp) start(op string, to state) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return hca.NewError(hca.Closed, op, "queue pair", "it has been closed")
	case q.state != fresh:
		return hca.NewError(hca.State, op, "queue pair", "it is for one connection, and has had it")
	}
	q.state = to
	return nil
}

// connect tries the addresses of the peer until one answers.
func (q *qp) connect(ctx context.Context, op, address string, p hca.ConnParams) error {
	all, err := q.ad.dev.host.parse(ctx, op, address)
	if err != nil {
		return err
	}
	if err := contextError(ctx, op, address); err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(to netip.AddrPort) bool { return !q.ad.source(to.Addr()).IsValid() })
	if len(all) == 0 {
		return hca.NewError(hca.Unreachable, op, address, "the device has no address of that family: "+
			"its addresses are those of its network interface")
	}
	var first error
	for i, to := range all {
		last, err := q.reach(ctx, op, address, to, resolveMillis(ctx, len(all)-i), p)
		for n := 1; n < portTries && errors.Is(err, hca.ServiceInUse) && ctx.Err() == nil; n++ {
			q.retreat() // for another local port
			last, err = q.reach(ctx, op, address, to, resolveMillis(ctx, len(all)-i), p)
		}
		if err == nil || last || ctx.Err() != nil {
			return err
		}
		if first == nil {
			first = err
		}
		if i == len(all)-1 {
			break
		}
		q.retreat()
	}
	return first
}

// reach connects to one address. last: it fails for a reason that other addresses do not cure.
func (q *qp) reach(ctx context.Context, op, address string, to netip.AddrPort, limit int, p hca.ConnParams) (last bool, err error) {
	a := q.ad
	id, e := a.cm.create(q)
	if e != 0 {
		return true, explainAddress(op, address, e, "")
	}
	q.setID(id)
	if e := a.lib.ResolveAddr(id.ID, netip.AddrPortFrom(a.source(to.Addr()), 0), to, limit); e != 0 {
		return false, explainAddress(op, address, e, "the address could not be resolved")
	}
	if _, err := q.step(ctx, op, address, ibv.CMAddrResolved); err != nil {
		return false, err
	}
	if id.Verbs() != a.dev.ctx {
		return false, hca.NewError(hca.Unreachable, op, address, "the way there is by another device")
	}
	if e := a.lib.ResolveRoute(id.ID, limit); e != 0 {
		return false, explainAddress(op, address, e, "no route could be found")
	}
	if _, err := q.step(ctx, op, address, ibv.CMRouteResolved); err != nil {
		return false, err
	}
	if err := q.make(op, address); err != nil {
		return true, err
	}
	e = a.lib.Connect(id.ID, &ibv.ConnParam{
		PrivateData:        p.Private,
		ResponderResources: uint8(q.cfg.ReadsIn), InitiatorDepth: uint8(q.cfg.ReadsOut),
		FlowControl: 1, RetryCount: 7, RNRRetryCount: a.rnrRetries(),
	})
	close(q.called)
	if e != 0 {
		err = connectCallFailed(op, address, e)
	} else {
		err = q.answer(ctx, op, address)
	}
	return !errors.Is(err, hca.Refused) && !errors.Is(err, hca.Unreachable), err
}

// connectCallFailed is for the call that requests a connection. iWARP devices bind a socket and
// connect it in that call; others report in an event what goes wrong at the peer.
func connectCallFailed(op, address string, e ibv.Errno) error {
	switch e {
	case ibv.EADDRINUSE, ibv.EADDRNOTAVAIL:
		return hca.Wrap(hca.ServiceInUse, op, address, "the local ports that the kernel has chosen are still in use: try again later", e)
	case ibv.ECONNRESET: // no program of the peer has seen the request
		return hca.Wrap(hca.Refused, op, address, "the listener there was closed meanwhile (ECONNRESET)", e)
	}
	return explainAddress(op, address, e, "")
}

// resolveMillis is the time limit of a resolution by the connection manager, in
// milliseconds, if there are so many addresses left to try.
func resolveMillis(ctx context.Context, left int) int {
	limit := resolveTime
	if d, ok := ctx.Deadline(); ok {
		// The context ends the wait; the event must not come much later.
		limit = min(time.Until(d)/time.Duration(left), resolveTime)
	}
	return int(max(10, limit.Milliseconds()))
}

// contextError returns the error of a context that is done.
func contextError(ctx context.Context, op, object string) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	var e *hca.Error
	switch {
	case errors.As(cause, &e) && e.Object == object: // the cause says all that there is to say
		return e
	case e != nil: // the context of another object ended: keep that as the cause
		return hca.Wrap(e.Code, op, object, "", cause)
	case errors.Is(cause, context.DeadlineExceeded):
		return hca.Wrap(hca.Timeout, op, object, "", cause)
	default:
		return hca.Wrap(hca.Canceled, op, object, "", cause)
	}
}

func tooMuchPrivate(op string, a *hca.Attr) error {
	return hca.NewError(hca.Invalid, op, "private data", "at most "+strconv.Itoa(a.MaxPrivateData)+" bytes fit on this device")
}
