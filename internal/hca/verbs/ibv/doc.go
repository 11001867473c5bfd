// Package ibv calls libibverbs and librdmacm without cgo.
//
// [Load] opens the two libraries of rdma-core at run time and looks up every
// function that the adapter needs. The rest of the package is a thin typed
// skin over them, and the only part of the verbs adapter that knows about
// unsafe memory, C calling conventions and errno:
//
//   - Objects of the libraries are handles ([QP], [CQ], [ID] and so on):
//     addresses, each a type of its own. Their methods read single fields of
//     the C structures.
//   - Structures that the caller fills or reads ([SendWR], [WC], [QPAttr])
//     are Go structures of the same layout. A test compares them with the
//     headers of rdma-core.
//   - Calls that make, change and destroy things are methods of [Lib]. They
//     copy their arguments to memory outside the Go heap and the results back.
//   - Calls that move data (post, poll, arm, bind) are methods of [Frame], which
//     go through the function pointers of the device's context ([Ops]) as the
//     inline functions of verbs.h do. They allocate nothing. Their work
//     requests and completions lie in an [Array], outside the Go heap, so C
//     never holds a pointer that the Go runtime may move or collect.
//
// The functions of a Lib may be in Go, too ([Serve]): a simulation takes the same
// arguments at the same addresses, and makes the structures that the handles name.
//
// No call waits inside C, provided that the file descriptors of channels have
// been set non-blocking by [Nonblock] and that events are acknowledged
// before the object they belong to is destroyed: rdma_destroy_id,
// ibv_destroy_cq, ibv_destroy_qp and ibv_destroy_srq wait for that.
//
// Functions here check nothing that C does not check. Handing in a handle
// after its object was destroyed corrupts memory, as it does in C: the adapter
// above owns the lifetimes.
package ibv
