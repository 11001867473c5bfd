package vipl

import (
	"fmt"
	"os"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// reporter calls the error handler of a NIC, for one error after the other.
type reporter struct {
	nic *nic

	mu      sync.Mutex
	context any
	handler ErrorHandler // nil: the default
	queue   []ErrorDescriptor
	running bool
	stopped bool
}

// ErrorCallback sets the handler of asynchronous errors (VipErrorCallback). It is called on a
// goroutine of the library, for one error at a time, in their order. It may make any call
// except CloseNic. nil restores the default, which writes a line to standard error. (C's
// default ends the process, it is said; this one does not.)
func ErrorCallback(nicHandle NICHandle, context any, handler ErrorHandler) Return {
	n := getNIC(nicHandle)
	if n == nil {
		return InvalidParameter
	}
	n.errors.mu.Lock()
	defer n.errors.mu.Unlock()
	n.errors.context, n.errors.handler = context, handler
	return Success
}

// tell queues an error for the handler.
func (r *reporter) tell(d ErrorDescriptor) {
	d.NicHandle = r.nic.handle
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return
	}
	r.queue = append(r.queue, d)
	if !r.running {
		r.running = r.nic.start(r.run) == Success
	}
}

func (r *reporter) run() {
	for {
		r.mu.Lock()
		if len(r.queue) == 0 || r.stopped {
			r.running = false
			r.mu.Unlock()
			return
		}
		d := r.queue[0]
		r.queue = r.queue[1:]
		context, handler := r.context, r.handler
		r.mu.Unlock()
		if handler == nil {
			fmt.Fprintf(os.Stderr, "vipl: %s: VI %#x, CQ %#x: %v\n", r.nic.name, d.ViHandle, d.CQHandle, d.ErrorCode)
			continue
		}
		handler(context, &d)
	}
}

// stop drops the errors that the handler has not been called for.
func (r *reporter) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
}

// asynchronous takes the errors of the adapter. What it reports about an endpoint is the
// cause of its connection's end, which [vi.lost] reports.
func (n *nic) asynchronous(ev *rdma.AsyncError) bool {
	switch ev.Kind {
	case rdma.AsyncAdapterFailed:
		n.errors.tell(ErrorDescriptor{ResourceCode: ResourceNIC, ErrorCode: ErrorCatastrophic})
	case rdma.AsyncOverflow:
		d := ErrorDescriptor{ResourceCode: ResourceNIC, ErrorCode: ErrorVIOverrun}
		for _, v := range n.virtual() {
			for _, q := range [...]*workQueue{&v.send, &v.recv} {
				if q.native != ev.CompletionQueue || ev.CompletionQueue == nil {
					continue
				}
				if d.ResourceCode, d.ViHandle = ResourceVI, v.handle; q.cq != nil {
					d.ResourceCode, d.ViHandle, d.CQHandle = ResourceCQ, 0, q.cq.handle
				}
			}
		}
		n.errors.tell(d)
	}
	return true
}
