package event

// ring is a queue in a circular buffer. The buffer grows on demand, so that an unused
// dispatcher needs no memory. The dispatcher enforces the limit.
type ring[T any] struct {
	buf  []T
	head int // index of the oldest
	n    int
	high int // the largest n; see Dispatcher.noteHigh
}

const ringStart = 16

// at is the index of the i-th event behind head.
func (r *ring[T]) at(i int) int {
	if i += r.head; i >= len(r.buf) {
		i -= len(r.buf)
	}
	return i
}

// reserve makes the buffer large enough for n more events. It grows in steps up
// to limit, beyond that only as far as it must.
func (r *ring[T]) reserve(n, limit int) {
	if r.n+n > len(r.buf) {
		r.resize(max(min(4*len(r.buf), limit), min(ringStart, limit), r.n+n))
	}
}

// push appends a copy of ev. There must be room.
func (r *ring[T]) push(ev *T) {
	i := r.head + r.n
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	r.buf[i] = *ev
	r.n++
	r.high = max(r.high, r.n)
}

// pushAll appends copies. There must be room.
func (r *ring[T]) pushAll(evs []T) {
	k := copy(r.buf[r.at(r.n):], evs)
	copy(r.buf, evs[k:])
	r.n += len(evs)
	r.high = max(r.high, r.n)
}

// pushFront puts copies before the oldest. There must be room.
func (r *ring[T]) pushFront(evs []T) {
	for i := len(evs) - 1; i >= 0; i-- {
		if r.head--; r.head < 0 {
			r.head = len(r.buf) - 1
		}
		r.buf[r.head] = evs[i]
	}
	r.n += len(evs)
	r.high = max(r.high, r.n)
}

// pop moves the oldest events to dst. The slots are cleared, so that the queue does not keep
// objects alive that a delivered event refers to.
func (r *ring[T]) pop(dst []T) int {
	n := min(r.n, len(dst))
	if n <= 1 {
		if n == 1 {
			r.popOne(&dst[0])
		}
		return n
	}
	k := copy(dst[:n], r.buf[r.head:])
	clear(r.buf[r.head : r.head+k])
	if k < n {
		copy(dst[k:n], r.buf)
		clear(r.buf[:n-k])
	}
	r.took(n)
	return n
}

// popOne moves the oldest event to dst. There must be one.
func (r *ring[T]) popOne(dst *T) {
	slot := &r.buf[r.head]
	*dst = *slot
	var none T
	*slot = none
	r.took(1)
}

// took advances the head. An empty ring restarts at its first slots, which are likely in the
// CPU cache.
func (r *ring[T]) took(n int) {
	if r.n -= n; r.n == 0 {
		r.head = 0
	} else {
		r.head = r.at(n)
	}
}

// resize changes the buffer. size is at least n.
func (r *ring[T]) resize(size int) {
	buf := make([]T, size)
	if r.n > 0 {
		k := copy(buf[:r.n], r.buf[r.head:])
		copy(buf[k:r.n], r.buf)
	}
	r.buf, r.head = buf, 0
}
