package rsock

// fifo is a queue of lengths that grows with use. Credits bound it.
type fifo struct {
	ring    []uint32 // a power of two
	head, n int
}

func (f *fifo) push(v uint32) {
	if f.n == len(f.ring) {
		f.grow()
	}
	f.ring[(f.head+f.n)&(len(f.ring)-1)] = v
	f.n++
}

func (f *fifo) grow() {
	ring := make([]uint32, max(16, 2*len(f.ring)))
	for i := range f.n {
		ring[i] = f.ring[(f.head+i)&(len(f.ring)-1)]
	}
	f.ring, f.head = ring, 0
}

func (f *fifo) front() *uint32 { return &f.ring[f.head] }

func (f *fifo) pop() {
	f.head = (f.head + 1) & (len(f.ring) - 1)
	f.n--
}
