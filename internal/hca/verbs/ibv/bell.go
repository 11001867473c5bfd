package ibv

import (
	"slices"
	"sync"
)

// Bell stands for the descriptor of a channel of libraries that are written in Go. Those
// who wait for it listen with Go channels, so it takes no descriptor, and works in a
// bubble of testing/synctest.
type Bell struct {
	fd   int
	mu   sync.Mutex
	ears []chan struct{}
}

var bells struct {
	sync.Mutex
	last int
	all  map[int]*Bell
}

// NewBell makes a bell.
func NewBell() *Bell {
	bells.Lock()
	defer bells.Unlock()
	if bells.all == nil {
		bells.all = map[int]*Bell{}
	}
	bells.last++
	b := &Bell{fd: -1 - bells.last}
	bells.all[b.fd] = b
	return b
}

// FD gives a number for the structures of the libraries. It is less than -1: no
// descriptor has it.
func (b *Bell) FD() int { return b.fd }

// Listen has each ring put a value into c, which has room for one, unless there is one.
// One is put there now: there may be something to read already.
func (b *Bell) Listen(c chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ears = append(b.ears, c)
	Ring(c)
}

// Ignore ends that. There may be no bell.
func (b *Bell) Ignore(c chan struct{}) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ears = slices.DeleteFunc(b.ears, func(has chan struct{}) bool { return has == c })
	}
}

// Ring says that there is something to read.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.ears {
		Ring(c)
	}
}

// Ring puts a value into a channel that has none.
func Ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it has been said
	}
}

// Close gives the number up.
func (b *Bell) Close() {
	bells.Lock()
	defer bells.Unlock()
	delete(bells.all, b.fd)
}

// BellOf gives the bell with a number, or nil.
func BellOf(fd int) *Bell {
	bells.Lock()
	defer bells.Unlock()
	return bells.all[fd]
}
