package rdma

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// How errors name objects. Objects are numbered in the order of their creation in the process,
// since two adapters may have the same name. A connection is named by its peer's address. An
// endpoint's tag is added if it has one.
//
// Internal functions and adapters return errors without call and object; the function that the
// program has called adds both.

// numbers are the last assigned numbers.
var numbers struct{ zones, endpoints, completionQueues, sharedQueues atomic.Uint32 }

// tagged adds the tag of an endpoint.
func tagged(name string, tag uint64) string {
	if tag == 0 {
		return name
	}
	return name + " (tag " + strconv.FormatUint(tag, 10) + ")"
}

// object is the endpoint in errors of calls that concern no connection.
func (e *Endpoint) object() string {
	return tagged("endpoint "+strconv.FormatUint(uint64(e.number), 10), e.tag)
}

// toward is the destination of a connect, in errors.
func (e *Endpoint) toward(address string) string { return tagged(addressName(address), e.tag) }

// addressName is an address in errors; the text may be no valid address.
func addressName(address string) string {
	if address == "" {
		return `""`
	}
	return address
}

// object is the connection in errors; before there is one, the endpoint.
func (sess *session) object() string {
	if c := sess.conn.Load(); c != nil {
		return tagged("connection to "+c.info.Remote, sess.ep.tag)
	}
	return sess.ep.object()
}

// told adds the call and the connection to a post's error, if there is one. It is small enough
// to be inlined.
func (sess *session) told(op string, err error) error {
	if err == nil {
		return nil
	}
	return sess.refused(op, err)
}

// refused adds the call and the connection to an error. The error for a full queue is made
// once, because some programs post until they get it.
func (sess *session) refused(op string, err error) error {
	if sess.reset.Load() {
		return sess.overError(op)
	}
	e, ok := err.(*hca.Error)
	if !ok || e.Code != hca.QueueFull || sess.conn.Load() == nil {
		return hca.Named(err, op, sess.object())
	}
	if full := sess.full.Load(); full != nil && full.Op == op && full.Detail == e.Detail {
		return full
	}
	full := hca.Named(err, op, sess.object()).(*hca.Error)
	sess.full.Store(full)
	return full
}

// overError is the error of all calls on a connection that is over and whose endpoint was
// reset. It takes precedence over other errors.
func (sess *session) overError(op string) error {
	e := &hca.Error{Op: op, Object: sess.object(), Code: hca.Disconnected,
		Detail: "the connection has ended and its endpoint was reset; use the connection that the endpoint has now"}
	if c := sess.conn.Load(); c != nil {
		if cause, ok := context.Cause(c.ctx).(*hca.Error); ok {
			e.Code, e.Err = cause.Code, cause.Err
		}
	}
	return e
}

// completed is the object of a completion's error. A completion does not identify its
// connection, so if the endpoint has had several, it is the endpoint.
func (e *Endpoint) completed() string {
	if e == nil {
		return ""
	}
	if c := e.conn.Load(); c != nil && !e.reused.Load() {
		return c.session.object()
	}
	return e.object()
}

// refused adds the call, and the connection or the endpoint, to an error.
func (e *Endpoint) refused(op string, err error) error {
	if sess := e.session.Load(); sess != nil {
		return sess.refused(op, err)
	}
	return hca.Named(err, op, e.object())
}

// object is the request in errors.
func (r *ConnRequest) object() string { return "request of " + r.RemoteAddr().String() }

// object is the queue in errors.
func (q *CompletionQueue) object() string {
	if q.of != "" {
		return q.of
	}
	return fmt.Sprintf("completion queue %d of %s", q.number, q.adapter.name)
}

// object is the queue in errors.
func (q *SharedReceiveQueue) object() string {
	return fmt.Sprintf("shared receive queue %d of %s", q.number, q.zone.adapter.name)
}
