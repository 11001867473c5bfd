package progress

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
)

// A Park lets the consumer of a completion queue sleep in Go's poller until its connection has input, which the
// consumer then reads itself: see wait.Parker. A park has its own kernel queue (epoll), made when the consumer first
// parks. A descriptor stays in the kernel queue between two sleeps of the consumer, which saves system calls.
type Park struct {
	wait.DescriptorParker
	mu     sync.Mutex
	kernel KernelQueue // constant once it is set; written under mu
	closed atomic.Bool // written under mu
}

// A Driver handles input, on the goroutine of a park's owner.
type Driver interface{ Arrived(p *Park) }

// A KernelQueue watches descriptors. The owner of a park sleeps on it, and input at any of them wakes the owner.
type KernelQueue interface {
	wait.Descriptor
	// Add enters a descriptor. From then on each arrival wakes the owner.
	Add(fd int) bool
	Remove(fd int)
	// Ready fetches descriptors at which there were arrivals since the last call, and returns their number. There
	// may be more if it is len(fds). Only the owner calls it.
	Ready(fds []int32) int
	// End makes Await fail, also one that runs. It does not wait.
	End()
	// Close frees the queue. There is no owner.
	Close()
}

// Open makes the kernel queue if there is none yet. It reports whether the park can be used.
func (p *Park) Open(d Driver) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernel == nil && !p.closed.Load() {
		if k := newKernelQueue(); k != nil {
			p.use(k, d)
		}
	}
	return p.kernel != nil && !p.closed.Load()
}

// use gives the park its kernel queue.
func (p *Park) use(k KernelQueue, d Driver) {
	p.kernel = k
	p.Init(k, func() { d.Arrived(p) })
}

// Add enters a descriptor, if the park is open.
func (p *Park) Add(fd int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kernel != nil && !p.closed.Load() && p.kernel.Add(fd)
}

// Remove takes a descriptor out.
func (p *Park) Remove(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernel != nil && !p.closed.Load() {
		p.kernel.Remove(fd)
	}
}

// A Place is where a descriptor is watched: in the kernel queue of one park, or in none. Its owner guards it.
type Place struct{ at *Park }

// Move moves the descriptor to the park p; nil takes it out. It returns false if the park is not open.
func (m *Place) Move(fd int, p *Park) bool {
	if m.at == p {
		return true
	}
	if m.at != nil {
		m.at.Remove(fd)
		m.at = nil
	}
	if p != nil {
		if !p.Add(fd) {
			return false
		}
		m.at = p
	}
	return true
}

// Close wakes the owner. Nobody can sleep here afterwards. It does not wait: the owner may be busy inside Park for as
// long as its program likes, with an event that nobody receives from a channel. The last to leave frees the kernel queue.
func (p *Park) Close() {
	p.mu.Lock()
	k := p.kernel
	first := k != nil && !p.closed.Load()
	p.closed.Store(true)
	p.mu.Unlock()
	if first {
		k.End()
		p.free()
	}
}

// ReleasePark ends the ownership.
func (p *Park) ReleasePark() {
	p.DescriptorParker.ReleasePark()
	if p.closed.Load() {
		p.free()
	}
}

// free frees the kernel queue of a closed park if there is no owner. Of those who call it at the same time one
// becomes the owner, and stays it.
func (p *Park) free() {
	if p.AcquirePark() && p.kernel != nil {
		p.kernel.Close()
	}
}
