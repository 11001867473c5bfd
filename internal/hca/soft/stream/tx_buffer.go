package stream

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// sender is the send half of a connection. The queue pair's gate Tx guards it.
//
// It works in groups: it lays out up to limit bytes of FPDUs, small ones whole in buf, large ones with their
// payload where the program has it, and writes them with as few calls as the stream allows. The next group is
// made when the transport has the last byte of this one. After a pause the first group is small, so that the
// peer soon has something to do, and each following group is twice as large, so that a long transfer takes few
// calls.
type sender struct {
	buf    []byte // the group's own bytes; never grows beyond its capacity
	pooled *[txBuffer]byte
	copies *[]byte  // of memory that peers read, for this group
	list   [][]byte // the part of the group that is still to be written
	users  marks    // which entries of list are the program's memory
	size   int      // bytes in the group
	limit  int      // upper bound of size

	msn     iwarp.MSN // of the next Send
	request iwarp.MSN // of the next Read or Atomic Request
	answer  iwarp.MSN // of the next Atomic Response
	offset  uint64    // bytes sent, for markers

	progress progress.IdleTimer

	closed bool // nothing is sent any more
	cut    bool // the last message of this side was not sent whole

	made        uint64 // requests before this one are wholly in this group or earlier ones
	sent        uint64 // the transport has all requests before this one
	out         int    // reads and atomics under way
	seen        uint32 // of sharedState.readsDone
	skip        int    // how many of those belong to no request
	resp        response
	inResp      bool // a response is partly laid out
	requestNext bool // alternates between responses and requests

	pieces [][]byte // of one payload

	short [shortSize]byte // see sendShort
}

const (
	txBuffer   = 64 << 10
	groupSize  = 512 << 10
	groupLeast = 64 << 10
	txRunBytes = 8 * groupSize // bytes that are sent in one run
	smallMax   = 2 << 10       // largest payload that is copied next to its header
	listMax    = 60
)

var txBuffers = sync.Pool{New: func() any { return new([txBuffer]byte) }}

// copyPool holds buffers for the bytes of a group and one more FPDU.
var copyPool = sync.Pool{New: func() any {
	b := make([]byte, 0, groupSize+iwarp.MaxFPDULen)
	return &b
}}

// copied returns a copy of b that lasts as long as the group, or the address of a fault in b.
func (o *sender) copied(b []byte, frail bool) (copied []byte, at uint64) {
	if o.copies == nil {
		o.copies = copyPool.Get().(*[]byte)
	}
	c := *o.copies
	start := len(c)
	c = c[:start+len(b)]
	_, at = rawmem.TryPiece(c[start:], b, frail)
	*o.copies = c
	return c[start:], at
}

// copiedSoFar is the number of bytes copied for the group. uncopy drops the copies beyond that number, of a
// frame that is given up.
func (o *sender) copiedSoFar() int {
	if o.copies == nil {
		return 0
	}
	return len(*o.copies)
}

func (o *sender) uncopy(n int) {
	if o.copies != nil {
		*o.copies = (*o.copies)[:n]
	}
}

func (o *sender) init() {
	o.msn, o.request, o.answer = iwarp.FirstMSN, iwarp.FirstMSN, iwarp.FirstMSN
	o.list = make([][]byte, 0, 8)
}

// room reports whether one more FPDU can be laid out.
func (c *Conn) room() bool {
	o := &c.out
	if c.aligned.Load() && o.size > 0 {
		return false
	}
	return o.size < o.limit && len(o.list) < listMax && cap(o.buf)-len(o.buf) > smallMax+128
}

func (o *sender) begin() {
	if o.pooled == nil {
		o.pooled = txBuffers.Get().(*[txBuffer]byte)
		o.buf = o.pooled[:0]
	}
}

// finish releases the buffer when everything is written.
func (o *sender) finish() {
	o.list, o.users, o.size = o.list[:0], marks{}, 0
	if o.pooled != nil {
		txBuffers.Put(o.pooled)
		o.pooled, o.buf = nil, nil
	}
	if o.copies != nil {
		*o.copies = (*o.copies)[:0]
		copyPool.Put(o.copies)
		o.copies = nil
	}
}

// appendHeader adds the bytes of buf from start on.
func (o *sender) appendHeader(start int) {
	b := o.buf[start:]
	o.size += len(b)
	if n := len(o.list); n > 0 && !o.users.has(n-1) {
		last := o.list[n-1]
		o.list[n-1] = o.buf[start-len(last):] // the last entry ends where this one begins
		return
	}
	o.list = append(o.list, b)
}

// appendPayload adds bytes of the program's memory.
func (o *sender) appendPayload(b []byte) {
	o.users.set(len(o.list))
	o.list = append(o.list, b)
	o.size += len(b)
}

// copyOverlap replaces the program's memory that overlaps mem, or all of it if mem is nil, with copies.
func (o *sender) copyOverlap(mem []byte) {
	for i, b := range o.list {
		if o.users.has(i) && (mem == nil || overlap(b, mem)) {
			o.list[i] = append([]byte(nil), b...)
			o.users.unset(i)
		}
	}
}

func overlap(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && rawmem.AddrOf(a) < rawmem.AddrOf(b)+uint64(len(b)) && rawmem.AddrOf(b) < rawmem.AddrOf(a)+uint64(len(a))
}

// Evict is called when a region is deregistered.
func (c *Conn) Evict(mem []byte) {
	if !c.blocked.Load() {
		// Nothing is half written, or a goroutine inside writes now: the caller waits for it, and a later one
		// does not find the key.
		if t, held := gate.Watch(&c.q.Tx.Word); held {
			t.Wait()
		}
		if !c.blocked.Load() {
			return
		}
	}
	c.q.Tx.Lock()
	c.out.copyOverlap(mem)
	c.LeaveSend()
}

// flushOut writes the group, and counts what the transport has. It reports whether that is all of it.
func (c *Conn) flushOut(deferred *core.Deferred) bool {
	o := &c.out
	moved := false
	for len(o.list) > 0 {
		n, err := c.w.Write(o.list)
		if err == wire.ErrAgain && c.writeStalled() {
			err = errTakesNothing
		}
		if err == wire.ErrAgain {
			if !c.blocked.Load() {
				c.blocked.Store(true)
				c.q.StallBegins()
			} else if moved {
				c.q.StallMoves()
			}
			c.countTaken()
			if c.Polled.Load() {
				yieldToPeer()
				c.a.Background.Watch(c) // the consumer's next poll tries again
			} else {
				c.Arm()
			}
			return false
		}
		if err != nil {
			c.countTaken()
			c.writeFailed(err)
			return false
		}
		o.offset += uint64(n)
		moved = true
		i := 0
		for i < len(o.list) && n >= len(o.list[i]) {
			n -= len(o.list[i])
			i++
		}
		if i < len(o.list) && n > 0 {
			o.list[i] = o.list[i][n:]
		}
		o.users.drop(i)
		o.list = o.list[:copy(o.list, o.list[i:])]
	}
	if c.blocked.Load() {
		c.blocked.Store(false)
		c.q.StallEnds()
	}
	o.finish()
	o.sent = o.made
	return true
}

// writeFailed handles a stream that accepts no more bytes. If the peer has sent a reason, the receive half reads
// that first.
func (c *Conn) writeFailed(err error) {
	if errors.Is(err, errno.Reset) {
		c.reset.Store(true)
	}
	c.out.finish()
	c.out.list = nil
	c.out.closed = true
	c.blocked.Store(false) // there will never be room
	c.a.Background.Go("close", func() { c.drainAfterWriteError(err) })
}
