package rdma

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// watermarks limit the receives that an endpoint holds.
type watermarks struct {
	mu         sync.Mutex
	soft, hard int // negative: off
}

// SetWatermarks sets two marks on the number of receives that the endpoint holds (see
// [Endpoint.Held]), in any state (uDAPL: dat_ep_set_watermark). A negative mark is off.
// Exceeding soft is reported once, as AsyncHighWatermark; a new call arms it again. Exceeding
// hard breaks the connection. The count is checked in this call, at the beginning of a
// connection, and when a receive is posted or completes. With a shared receive queue, only a
// completion shows which endpoint has taken a receive.
func (e *Endpoint) SetWatermarks(soft, hard int) error {
	if e.State() == StateClosed {
		return e.closedError("set watermarks")
	}
	e.marks.Store(&watermarks{soft: max(soft, -1), hard: max(hard, -1)})
	e.lookAtMarks(0)
	return nil
}

// lookAtMarks compares the held receives, plus extra ones that have just completed, with the
// marks.
func (e *Endpoint) lookAtMarks(extra int) {
	m := e.marks.Load()
	if m == nil {
		return
	}
	held, _ := e.Held()
	held += extra
	m.mu.Lock()
	soft := m.soft >= 0 && held > m.soft
	if soft {
		m.soft = -1
	}
	hard := m.hard >= 0 && held > m.hard
	m.mu.Unlock()
	if soft {
		e.adapter.async.tell(AsyncError{Kind: AsyncHighWatermark, Endpoint: e})
	}
	if sess := e.session.Load(); hard && sess != nil && e.State() == StateConnected {
		sess.breakUp(hca.NewError(hca.QueueFull, "receive", e.object(), fmt.Sprintf("it holds %d receives, more than its hard watermark %d", held, m.hard)))
	}
}

// breakUp ends the connection from this side and reports it as broken.
func (sess *session) breakUp(why *hca.Error) {
	if sess.broken.CompareAndSwap(nil, why) {
		sess.qp.Disconnect(false)
	}
}
