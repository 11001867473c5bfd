package ibv

import "sync"

// Bell stands for the descriptor of a channel of libraries that are written in Go. It is
// a Go channel, so waiting for it takes no descriptor, and works in a bubble of
// testing/synctest.
type Bell struct {
	// C holds one value while there is something to read.
	C  chan struct{}
	fd int
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
	b := &Bell{C: make(chan struct{}, 1), fd: -1 - bells.last}
	bells.all[b.fd] = b
	return b
}

// FD gives a number for the structures of the libraries. It is less than -1: no
// descriptor has it.
func (b *Bell) FD() int { return b.fd }

// Ring says that there is something to read.
func (b *Bell) Ring() {
	select {
	case b.C <- struct{}{}:
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
