package rdmatest

import (
	"sync"
	"time"
)

// way is one direction of a stream. The world's lock guards it.
type way struct {
	s        *stream
	name     string
	from, to *Host
	link     *Link
	flight   []piece   // accepted and not delivered
	flying   int       // bytes of flight
	rate     int64     // of since and sent
	since    time.Time // from then on the way was busy, with sent bytes
	sent     int64
	arrived  []byte // delivered and not read
	seen     int64  // bytes delivered
	slowAt   time.Time
	fin      ending
	finAt    time.Time
	closed   bool // nobody reads any more
	ended    bool // by the network: see Link.End
	read     frames
	moved    sync.Cond
	// Of the wires at both ends, if there are any.
	readable, writable func()
}

// changed tells those that wait at the way. The caller holds w.mu.
func (y *way) changed() {
	y.moved.Broadcast()
	if y.readable != nil {
		y.readable()
	}
	if y.writable != nil {
		y.writable()
	}
}

// ending is how far the end of a way has come.
type ending uint8

const (
	finNot ending = iota
	finSent
	finArrived
)

// piece is at most a segment of bytes that travel together. What the writer wrote at the same moment
// is cut at the same places, in however many calls it was written.
type piece struct {
	sent, due time.Time
	data      []byte
}

const (
	segment = 1448      // bytes
	buffer  = 256 << 10 // bytes that a way holds, under way and unread, unless Link.Buffer says otherwise
)

// room is how many bytes the way accepts now.
func (y *way) room() int {
	if !y.from.runs() {
		return 0
	}
	return y.link.buffer - y.flying - len(y.arrived)
}

// accept takes bytes of the writer, at most room.
func (y *way) accept(b []byte) {
	now := time.Now()
	y.flying += len(b)
	for len(b) > 0 {
		if n := len(y.flight); n == 0 || len(y.flight[n-1].data) == segment || !y.flight[n-1].sent.Equal(now) {
			y.flight = append(y.flight, piece{sent: now})
		}
		p := &y.flight[len(y.flight)-1]
		n := min(segment-len(p.data), len(b))
		p.data = append(p.data, b[:n]...)
		b = b[n:]
		p.due = y.arrival(n)
	}
}

// arrival is when n bytes that are sent now have arrived.
func (y *way) arrival(n int) time.Time {
	now := time.Now()
	if r := y.link.bandwidth; r != y.rate || now.After(y.busy()) {
		y.rate, y.since, y.sent = r, now, 0
	}
	y.sent += int64(n) // and not a sum of times: the result does not depend on the number of calls
	at := y.busy().Add(y.link.travel())
	if n := len(y.flight); n > 1 && at.Before(y.flight[n-2].due) {
		at = y.flight[n-2].due
	}
	return at
}

// busy is when the way has sent what it was given.
func (y *way) busy() time.Time {
	if y.rate == 0 {
		return y.since
	}
	return y.since.Add(time.Duration(float64(y.sent) / float64(y.rate) * float64(time.Second)))
}

// ready returns the step that the way can take now.
func (y *way) ready(now time.Time) (step, bool) {
	switch {
	case !y.link.passes(), !y.to.runs(), y.slowAt.After(now):
		return step{}, false
	case len(y.flight) > 0 && !y.flight[0].due.After(now):
		return step{y.name, func() { y.deliver(now) }}, true
	case len(y.flight) == 0 && y.fin == finSent && !y.finAt.After(now):
		return step{y.name, y.end}, true
	}
	return step{}, false
}

// next is when ready may be true, if it is not now; zero: somebody has to do something first.
func (y *way) next() time.Time {
	var at time.Time
	switch {
	case !y.link.passes(), !y.to.runs():
		return at
	case len(y.flight) > 0:
		at = y.flight[0].due
	case y.fin == finSent:
		at = y.finAt
	default:
		return at
	}
	if at.Before(y.slowAt) {
		at = y.slowAt
	}
	return at
}

// deliver moves bytes that have arrived to the reader: all of them, or a part that is drawn.
func (y *way) deliver(now time.Time) {
	n := 0
	for _, p := range y.flight {
		if p.due.After(now) {
			break
		}
		n += len(p.data)
	}
	w := y.from.w
	if n > 1 && w.draw.IntN(2) == 0 {
		n = 1 + w.draw.IntN(n)
	}
	if rate := y.to.rate(); rate > 0 {
		n = int(min(int64(n), max(1, rate/100)))
		y.slowAt = now.Add(time.Duration(int64(n) * int64(time.Second) / rate))
	}
	if p, left := y.link.due(); p != nil {
		n = int(min(int64(n), left))
	}
	w.record("deliver", y.name, n)
	y.take(n)
	for p, left := y.link.due(); p != nil && left <= 0; p, left = y.link.due() {
		w.carryOut(p) // no byte may come behind the first of them
	}
}

// take delivers n bytes.
func (y *way) take(n int) {
	y.flying -= n
	y.seen += int64(n)
	y.link.delivered += int64(n)
	for n > 0 {
		p := &y.flight[0]
		k := min(n, len(p.data))
		if y.link.damaged > 0 {
			y.link.damaged--
			p.data[0] ^= 1 << y.from.w.draw.IntN(8)
		}
		y.read.pass(p.data[:k])
		if !y.closed {
			y.arrived = append(y.arrived, p.data[:k]...)
		}
		if p.data = p.data[k:]; len(p.data) == 0 {
			*p = piece{}
			y.flight = y.flight[1:]
		}
		n -= k
	}
	if y.closed { // as TCP does: nobody will read this
		y.s.reset()
		y.s.w.sweep()
		return
	}
	y.changed()
}

// end delivers the end of the way.
func (y *way) end() {
	y.fin = finArrived
	y.s.w.record("end", y.name, 0)
	y.changed()
	y.s.w.sweep()
}
