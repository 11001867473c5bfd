// Package rdma is remote direct memory access for Go: messages, and reads and
// writes of a peer's memory that run no code of the peer.
//
// # Objects
//
// [Open] opens an [Adapter] by name: the software adapter is built in and needs no set-up ("soft"
// chooses the path, "soft-loop" stays in the process, "soft-shm" on the host, "soft-tcp" speaks iWARP
// over TCP). An adapter has zones ([Zone]), which hold registered memory ([mem.Region]), and endpoints
// ([Endpoint]), which are connected by [Adapter.Dial] on one side and [Listener.Requests] with
// [ConnRequest.Accept] on the other. A [Conn] is one connection of an endpoint.
//
// # Posting and completing
//
// Operations are posted ([Endpoint.PostSend], PostRecv, PostRead, PostWrite,
// PostFetchAdd, PostCompareSwap, PostBind, or many with one doorbell through a
// [Batch]) and complete later: a [Completion] appears at the dispatcher of the
// endpoint's receives or of its other operations. A dispatcher ([event.Dispatcher]) can be
// read as a channel, by waiting, or by polling; posting and polling allocate
// nothing. Every posted operation completes exactly once: with success, with an
// error, or flushed when the connection ends. Only the success of an operation
// with the flag [NoCompletion] is not shown.
//
// For simple cases, [Conn.Send], [Conn.Recv], [Conn.Read], [Conn.Write] and similar methods
// post and wait. They can be used while other goroutines read the dispatchers.
//
// # Order
//
// Completions of one endpoint's receives appear in the order of posting, and so do the
// completions of its other operations. Where connection events go to the same
// dispatcher, [Established] comes before the first completion of the connection, and the
// end of the connection comes after the last.
//
// # Ownership
//
// From post to completion the memory of an operation belongs to the adapter: see package mem.
// Cancelling the context of a call ends the call, not the operation: the memory belongs to the
// adapter until the operation completes. The end of the connection or [mem.Region.Free]
// completes it early.
//
// # Closing
//
// An object that other objects use must be closed after them: a zone after its regions,
// windows, shared receive queues and endpoints; a completion queue or shared receive queue
// after its endpoints. A region cannot be freed while a window is bound to it. Otherwise the
// error is [ErrInUse] and names the objects. [Adapter.Close] ends everything abruptly. Closing
// twice is harmless.
//
// # Errors
//
// Errors are *[Error] with a code. errors.Is works with the codes ([ErrTimeout],
// [ErrDisconnected], ...) and with net.ErrClosed, context.Canceled, context.DeadlineExceeded
// and os.ErrDeadlineExceeded where they mean the same. They name the call and the connection
// or object concerned. A nil context, object or function gives [ErrInvalid]; calls that return
// no error panic.
//
// # Concurrency
//
// All methods may be called concurrently, unless their comments say otherwise. A [Batch]
// belongs to one goroutine at a time.
package rdma
