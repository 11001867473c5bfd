package rdma

import "github.com/godapl/godapl/internal/hca"

// ArmDescriptors arms the queue for a thread that sleeps outside of Go.
func (s *completionSource) ArmDescriptors(fds []int32) ([]int32, error) {
	return s.q.armDescriptors(fds)
}

// DisarmDescriptors says that the thread does not sleep any more.
func (s *completionSource) DisarmDescriptors(alone bool) { s.q.disarmDescriptors(alone) }

// ArmDescriptors arms the queue for a thread that sleeps outside of Go.
func (s *convertingSource[T]) ArmDescriptors(fds []int32) ([]int32, error) {
	return s.q.armDescriptors(fds)
}

// DisarmDescriptors says that the thread does not sleep any more.
func (s *convertingSource[T]) DisarmDescriptors(alone bool) { s.q.disarmDescriptors(alone) }

func (q *CompletionQueue) armDescriptors(fds []int32) ([]int32, error) {
	if o, ok := q.cq.(hca.DescriptorArmer); ok {
		return o.ArmDescriptors(fds)
	}
	return fds, q.cq.Arm()
}

func (q *CompletionQueue) disarmDescriptors(alone bool) {
	if o, ok := q.cq.(hca.DescriptorArmer); ok {
		others := !alone || q.othersWait()
		o.DisarmDescriptors(others)
		q.lookAgain(others)
	}
}

// othersWait reports whether somebody besides the dispatcher's waiter may wait for the queue.
func (q *CompletionQueue) othersWait() bool {
	return q.waiting.Load() != 0 || len(q.binds.followers.list()) > 0
}

// lookAgain is called when the adapter has been told whether others wait for the queue. A call that came meanwhile may
// have armed the queue before the adapter was told that nobody waits.
func (q *CompletionQueue) lookAgain(others bool) {
	if !others && q.othersWait() {
		q.wakeOthers()
	}
}
