package hca

// DescriptorArmer is an optional interface of a completion queue. The consumer of such a queue may
// be a thread that sleeps outside of Go, in poll(2): an arrival wakes the thread directly, without
// a goroutine in between.
type DescriptorArmer interface {
	// ArmDescriptors arms the queue like Arm, for a consumer that polls it when one of the
	// descriptors appended to fds is readable. Meanwhile the adapter does not watch these
	// descriptors itself. Arrivals that they do not report cause Notify, as after Arm. The
	// descriptors belong to the adapter and are valid until the next call; the adapter may close
	// them at any time.
	ArmDescriptors(fds []int32) ([]int32, error)
	// DisarmDescriptors says that the consumer no longer watches the descriptors. The consumer is
	// expected to poll soon; if it does not, the adapter makes progress by itself again after a
	// short while. others reports that another waiter still waits for a Notify.
	DisarmDescriptors(others bool)
}

// Crowded is an optional interface of a [Parker].
type Crowded interface {
	// Crowded reports that a sleeping owner would read many connections. The goroutine of a channel leaves them to the
	// adapter: it would read the next message while the program handles the last one, on another processor, and both
	// use the same memory.
	Crowded() bool
}

// Parker is an optional interface of a completion queue. A goroutine that sleeps until it is
// notified by such a queue reads the queue's connections itself, so that an arrival wakes no other
// goroutine first. The methods are those of wait.Parker; others means the same as for
// [DescriptorArmer]. Entries cause Notify as always, also inside Park.
type Parker interface {
	AcquirePark() bool
	Park(again func() bool) bool
	Kicker() *func()
	ReleasePark(others bool)
	// Gather makes Park serve the connections of another queue, too, until ReleasePark or Depart. The owner
	// calls it. It returns false if that queue has an owner, or is of another adapter.
	Gather(other Parker) bool
	// Depart is ReleasePark for an owner that polls, and probably parks again within a millisecond. Until then
	// arming the queue leaves the connections as they are, and so nobody notices what arrives. If the owner does
	// not come back, the adapter takes the connections over after a millisecond or two; after Elsewhere, at once.
	Depart()
	// Elsewhere says that a consumer sleeps that does not park here. Any goroutine may call it.
	Elsewhere()
	// Pause leaves the connections to the adapter, or takes them back. The owner calls it, outside of
	// Park or in again, around something else that it waits for.
	Pause(yes bool)
}
