package park

import "github.com/godapl/godapl/internal/wait"

// A Queue watches descriptors. The owner of a park sleeps on it, and input at any of them wakes the owner.
type Queue interface {
	wait.Descriptor
	// Add enters a descriptor. From then on each arrival wakes the owner, and so does input that is there already.
	Add(fd int) error
	Remove(fd int)
	// Ready fetches descriptors at which there were arrivals since the last call, and returns their number. There
	// may be more if it is len(fds). Only the owner calls it.
	Ready(fds []int32) int
	// End makes Await fail, also one that runs. It does not wait.
	End()
	// Close frees the queue. There is no owner.
	Close()
}
