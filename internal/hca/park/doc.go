// Package park is where goroutines of an adapter and of its consumers sleep until a descriptor has input, which they then
// read themselves. So an arrival wakes only the goroutine that needs it. Both adapters use it.
//
//	where one sleeps                        park.go
//	what one sleeps on: a kernel queue      queue.go sys_queue_linux.go queue_other.go
//	... or for a short time the thread      sys_nearqueue_linux.go
//	where arrivals at a descriptor wake     place.go
//	a sleeper with several descriptors      arrivals.go
//
// A [Queue] watches descriptors. On Linux it is an epoll instance, which is itself in Go's poller, so no thread waits
// there; except where arrivals come soon after one another, see [Park.OpenNear]. Tests and simulated devices have queues of their own.
//
// A [Park] is a queue with at most one owner. The owner sleeps, and its [Driver] reads what arrives. Closing a park
// does not wait for the owner: the last to leave frees the queue.
//
// A [Place] says in which park a descriptor is, and moves it. It stays there between two sleeps, which saves system
// calls.
//
// A consumer comes here through package wait: a Park is a wait.Parker, and wait.DescriptorParker has the order of kicks
// and sleeps, with the test of all its interleavings. The adapters decide which goroutine sleeps where: see core/cq_park.go
// of the software adapter, and turns.go of package verbs. A line of code in this package may touch descriptors of kernel
// queues; it sees no connection and no completion queue, and of the module it imports package wait alone.
package park
