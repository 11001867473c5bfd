package mailbox

import (
	"net"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// intake is where the values of all senders arrive: one completion queue, which grows, and the goroutine
// that takes from it, or a call of the program (see lead). While there is room in the mailbox, values enter it
// in the order of their arrival. When it is full, the senders whose values have arrived take turns, a value each: so a sender waits for
// one value of each of the others at most, however many there are.
type intake[T, R any] struct {
	b     *Mailbox[T, R]
	recvs *rdma.CompletionQueue
	calls chan func() // of do, for the goroutine or the call that leads; one place
	ended chan struct{}
	lead

	mu   sync.Mutex
	need int // completions that may be there at a time

	// Of what leads.
	batch       [64]rdma.Completion
	called      bool            // a call leads
	dst         []Message[T, R] // of the call; nil if it takes from the mailbox
	n           int             // of these
	leavers     []*peer[T, R]   // have ended, while there was no room to tell
	touched     []*peer[T, R]   // have got values since the last acknowledgement
	first, last *peer[T, R]     // wait for their turn
	left        int             // values of the turn that is under way
	yield       bool            // the program has got values since the last wait
	shut        bool            // the mailbox is closed, and a message had no room
}

// firstIntake is how many completions fit before the queue is made deeper.
const firstIntake = 256

func (g *intake[T, R]) open(b *Mailbox[T, R]) (err error) {
	g.b, g.calls, g.ended = b, make(chan func(), 1), make(chan struct{})
	g.lead.open()
	g.never.Store(b.values.codec != nil) // which is the program's, and may panic
	g.recvs, err = b.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: queueDepth(b.adapter, firstIntake)})
	return err
}

// reserve makes room for so many more completions. A queue that a goroutine waits on cannot be made
// deeper, so what leads does it. Only accept calls it.
func (g *intake[T, R]) reserve(n int) (err error) {
	g.mu.Lock()
	g.need += n
	need := g.need
	g.mu.Unlock()
	if need <= g.recvs.Depth() {
		return nil
	}
	if !g.do(func() { err = g.recvs.Resize(deeper(g.recvs, need, g.b.adapter.Attributes().MaxCompletionDepth)) }) {
		err = net.ErrClosed
	}
	if err != nil {
		g.release(n)
	}
	return err
}

// release takes back reserve.
func (g *intake[T, R]) release(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.need -= n
}

// do lets what leads call f, between two turns. It is false if the goroutine has ended before.
func (g *intake[T, R]) do(f func()) bool {
	done := make(chan struct{})
	select {
	case g.calls <- func() { f(); close(done) }:
	case <-g.ended:
		return false
	}
	g.call()
	select {
	case <-done:
		return true
	case <-g.ended:
		return false
	}
}

// serveCall is for what leads.
func (g *intake[T, R]) serveCall() {
	select {
	case f := <-g.calls:
		f()
	default:
	}
}

// turnValues is how many values a turn has, for a mailbox of that depth. In a turn of a single value the
// values that came in one message would lie apart in the mailbox, and their answers leave one by one. A turn
// of much more than a value would let a sender wait long for the others, where the mailbox is small.
func turnValues(depth int) int { return min(max(1, depth/64), 16) }

// crowded reports whether a value has to wait for its turn.
func (g *intake[T, R]) crowded() bool { return g.first != nil || g.room() == 0 }

// room is how many messages have room. While a call leads, nothing else puts messages into the mailbox.
func (g *intake[T, R]) room() int { return len(g.dst) - g.n + cap(g.b.queue) - len(g.b.queue) }

// put puts a message into the mailbox, or behind those that the call which leads has. It is false if there is no room.
func (g *intake[T, R]) put(m *Message[T, R]) bool {
	if g.n < len(g.dst) { // in order: run has emptied the mailbox into dst, and only what leads fills it
		g.dst[g.n] = *m
		g.n++
		return true
	}
	select {
	case g.b.queue <- *m:
		return true
	default:
		return false
	}
}

// queue gives a peer its turn behind all others that wait, if it has something for it.
func (g *intake[T, R]) queue(p *peer[T, R]) {
	if p.queued || p.reading != nil && !p.reading.read || p.reading == nil && p.held.empty() {
		return
	}
	p.queued = true
	if g.first == nil {
		g.first = p
	} else {
		g.last.next = p
	}
	g.last = p
}

// turn serves the peer whose turn it is. A call that leads does not wait for room.
func (g *intake[T, R]) turn() {
	p, values := g.first, turnValues(cap(g.b.queue))
	if g.called {
		values = min(values, g.room())
	}
	if p == nil || values == 0 {
		return
	}
	g.first, p.next = p.next, nil
	g.serve(p, values)
	p.ended()
}

// serve takes so many values of a peer, or a message if no other peer waits and the mailbox has room.
func (g *intake[T, R]) serve(p *peer[T, R], values int) {
	p.queued = true // nobody else queues it meanwhile
	if g.left = values; p.reading != nil {
		p.finish()
		g.left--
	}
	for g.left > 0 && p.reading == nil && !p.held.empty() && !g.shut {
		if from, more := p.handle(*p.held.front()); more {
			p.held.front().from = from
		} else if p.held.pop(); !g.crowded() {
			break
		}
	}
	p.queued = false
	g.queue(p)
}

// held is a message, or the rest of one, that waits in its slot.
type held struct {
	cookie       uint64
	from, length int
}

// backlog is the messages of a sender that wait, oldest first. It keeps its memory.
type backlog struct {
	all  []held
	next int
}

func (l *backlog) empty() bool  { return l.next == len(l.all) }
func (l *backlog) front() *held { return &l.all[l.next] }

func (l *backlog) push(m held) {
	if l.next > 0 && len(l.all) == cap(l.all) {
		l.all, l.next = l.all[:copy(l.all, l.all[l.next:])], 0
	}
	l.all = append(l.all, m)
}

func (l *backlog) pop() {
	if l.next++; l.next == len(l.all) {
		l.all, l.next = l.all[:0], 0
	}
}
