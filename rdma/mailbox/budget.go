package mailbox

import "sync"

// budget bounds the memory of the values that are read from senders. What does not fit waits, in
// the order of arrival, so a long value is not overtaken by short ones for ever.
type budget struct {
	limit int // bytes

	mu      sync.Mutex
	used    int
	waiting []request
}

type request struct {
	bytes int
	start func()
}

// take calls start when there is room for so many bytes: at once, or in a later call of give.
func (b *budget) take(bytes int, start func()) {
	b.mu.Lock()
	b.waiting = append(b.waiting, request{bytes, start})
	b.mu.Unlock()
	b.give(0)
}

// give gives bytes back, and starts what fits now.
func (b *budget) give(bytes int) {
	b.mu.Lock()
	b.used -= bytes
	n := 0
	for n < len(b.waiting) && b.waiting[n].bytes <= b.limit-b.used {
		b.used += b.waiting[n].bytes
		n++
	}
	ready := b.waiting[:n:n]
	if b.waiting = b.waiting[n:]; len(b.waiting) == 0 {
		b.waiting = nil
	}
	b.mu.Unlock()
	for _, r := range ready {
		r.start()
	}
}
