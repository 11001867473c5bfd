package rdmatest

import (
	"sync"

	"github.com/godapl/godapl/rdma"
)

// Call identifies a call to an adapter that a test can make fail.
type Call uint8

// The calls. The comments name the public methods that make them.
const (
	Open                     Call = iota // rdma.Open
	NewZone                              // Adapter.NewZone
	NewCompletionQueue                   // Adapter.NewCompletionQueue, and endpoints that make their own
	ResizeCompletionQueue                // CompletionQueue.Resize
	RegisterMemory                       // Zone.Alloc, Zone.Register and the like
	NewWindow                            // Zone.NewWindow
	NewSharedReceiveQueue                // Zone.NewSharedReceiveQueue
	ResizeSharedReceiveQueue             // SharedReceiveQueue.Resize
	ConnectEndpoint                      // the queue pair of a Dial, Connect or Accept
	Listen                               // Adapter.Listen
	Dial                                 // the connecting of a Dial or Connect
	Accept                               // ... and of an Accept
	Post                                 // every operation that is posted or called, but for binds
	PostReceive                          // Endpoint.PostRecv, Conn.Recv and the like
	PostSharedReceive                    // SharedReceiveQueue.PostRecv
	BindWindow                           // Endpoint.PostBind and Conn.Bind, unbinds included
	ModifyMemory                         // Region.Modify
	calls                                // how many there are
)

var callNames = [calls]string{"open", "new zone", "new completion queue", "resize completion queue", "register memory",
	"new window", "new shared receive queue", "resize shared receive queue", "connect endpoint", "listen",
	"dial", "accept", "post", "post receive", "post shared receive", "bind window", "modify memory"}

// String returns the call in words.
func (c Call) String() string {
	if c >= calls {
		return "unknown"
	}
	return callNames[c]
}

// Faults selects the calls that fail. The zero value selects none. Several adapters may share
// one Faults.
type Faults struct {
	mu   sync.Mutex
	code [calls]rdma.Code
	nth  []*nthCall
	hit  func(c Call) // nil: nobody counts
}

// Set makes every call c fail with an error of that code until Clear.
func (f *Faults) Set(c Call, code rdma.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.code[c] = code
}

// Clear ends all faults.
func (f *Faults) Clear() {
	f.mu.Lock()
	clear(f.code[:])
	f.mu.Unlock()
	f.forget(false)
}
