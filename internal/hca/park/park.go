package park

import (
	"os"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/wait"
)

// A Park is where a goroutine sleeps until a descriptor has input, which it then reads itself: see wait.Parker. A park
// has its own queue.
type Park struct {
	wait.DescriptorParker
	mu     sync.Mutex
	queue  Queue       // constant once it is set; written under mu
	closed atomic.Bool // written under mu
}

// A Driver handles input, on the goroutine of a park's owner.
type Driver interface{ Arrived(p *Park) }

// Open makes the queue if there is none yet. The error says why the park cannot be used.
func (p *Park) Open(d Driver) error { return p.open(d, newQueue) }

// OpenNear is Open for a park with one descriptor. While arrivals come soon, its owner sleeps on its thread: the kernel
// then wakes it as fast as it wakes a program of C.
func (p *Park) OpenNear(d Driver) error { return p.open(d, newNearQueue) }

func (p *Park) open(d Driver, newQueue func() (Queue, error)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queue == nil && !p.closed.Load() {
		q, err := newQueue()
		if err != nil {
			return err
		}
		p.use(q, d)
	}
	return p.usable()
}

// Use is Open with a queue of the caller's.
func (p *Park) Use(q Queue, d Driver) {
	p.mu.Lock()
	p.use(q, d)
	p.mu.Unlock()
}

func (p *Park) use(q Queue, d Driver) {
	p.queue = q
	p.Init(q, func() { d.Arrived(p) })
}

// usable fails unless the park is open. The caller holds mu.
func (p *Park) usable() error {
	if p.queue == nil || p.closed.Load() {
		return os.ErrClosed
	}
	return nil
}

// add enters a descriptor, if the park is open.
func (p *Park) add(fd int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.usable(); err != nil {
		return err
	}
	return p.queue.Add(fd)
}

// remove takes a descriptor out.
func (p *Park) remove(fd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.usable() == nil {
		p.queue.Remove(fd)
	}
}

// Close wakes the owner. Nobody can sleep here afterwards. It does not wait: the owner may be busy inside Park for as
// long as its program likes, with an event that nobody receives from a channel. The last to leave frees the queue.
func (p *Park) Close() {
	p.mu.Lock()
	first := p.usable() == nil
	p.closed.Store(true)
	p.mu.Unlock()
	if first {
		p.queue.End()
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

// free frees the queue of a closed park if there is no owner. Of those who call it at the same time one becomes the
// owner, and stays it.
func (p *Park) free() {
	if p.AcquirePark() && p.queue != nil {
		p.queue.Close()
	}
}
