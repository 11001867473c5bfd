package capture

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/iwarp"
)

// Flow is one stream in a capture. Its methods may be called concurrently, except as
// Hold and Sent say.
type Flow struct {
	file    *File
	active  bool // we have opened it
	comment string
	ends    ends // in File.live; zero: they are made up, or the flow is closed. Guarded by file.mu

	mu     sync.Mutex
	began  time.Time // when the data that Sent will record was handed over
	number int       // of the file that the flow is introduced in; 0: of none
	half   [2]half
}

// A half is one direction.
type half struct {
	addr    netip.AddrPort // of the sender
	next    uint32         // sequence number of the next byte
	total   uint64         // bytes so far
	framing framing
	frame   []byte // the start-up frame, as far as it is known
	head    []byte // the FPDU under way, as far as it is recorded; from heads
	late    []byte // what waits for the next bytes, and is not recorded
	ended   bool   // no FIN or RST is to come any more
	fin     bool   // FIN has been
}

const (
	ours   = 0 // bytes that we send
	theirs = 1
)

// Flow begins the recording of a stream that has just been made. active tells
// that this side has opened it. Addresses that are not of TCP are replaced.
func (f *File) Flow(local, remote net.Addr, active bool) *Flow {
	fl := &Flow{file: f, active: active}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flows++
	var l, r netip.AddrPort
	l, r, fl.comment = addresses(local, remote, active, f.flows)
	l, r = f.apart(fl, l, r)
	for i, a := range [...]netip.AddrPort{l, r} {
		fl.half[i] = half{addr: a, next: rand.Uint32()}
	}
	if f.room(fl.repeatRoom()) {
		fl.enter(now, 0)
		f.nudge()
	}
	return fl
}

// Hold is called before data is handed to the stream, and Sent afterwards. Nothing else
// of the flow is recorded between the two: otherwise a peer's answer could be recorded
// before the request. The caller must not block between them.
func (fl *Flow) Hold() {
	fl.mu.Lock()
	fl.began = time.Now()
}

// Sent records the first n bytes of the list, as of the time of Hold.
func (fl *Flow) Sent(list [][]byte, n int) {
	fl.record(fl.began, ours, list, n)
	fl.mu.Unlock()
}

// Received records bytes that have come out of the stream.
func (fl *Flow) Received(p []byte) {
	fl.mu.Lock()
	list := [1][]byte{p}
	fl.record(time.Now(), theirs, list[:], len(p))
	fl.mu.Unlock()
}

// SentEnd records that this side has ended its direction.
func (fl *Flow) SentEnd() { fl.end(ours, false) }

// ReceivedEnd records that the peer has ended its direction, or that it has reset
// the stream.
func (fl *Flow) ReceivedEnd(reset bool) { fl.end(theirs, reset) }

func (fl *Flow) end(way int, reset bool) {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	h := &fl.half[way]
	if h.ended {
		return
	}
	h.ended = true
	if reset {
		fl.half[1-way].ended = true
	}
	f := fl.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.room(3*packetRoom + fl.lateRoom() + fl.repeatRoom()) {
		return
	}
	s := segment{at: time.Now(), fin: !reset, rst: reset}
	fl.settle(s.at, way)
	if reset {
		fl.settle(s.at, 1-way)
	}
	fl.put(way, &s, nil)
	if !reset {
		h.fin = true
		h.next++
	}
	f.nudge()
}

// Close records that this side has no more to do with the stream.
func (fl *Flow) Close() {
	fl.rest()
	fl.end(ours, false)
	fl.mu.Lock()
	fl.half[ours].forget()
	fl.half[theirs].forget()
	fl.mu.Unlock()
	f := fl.file
	f.mu.Lock()
	if fl.ends != (ends{}) {
		delete(f.live, fl.ends)
		fl.ends = ends{}
	}
	f.mu.Unlock()
}

// chunk is how many bytes are recorded between two checks of the pending data; with
// markers, when packets are small, it is less. Both are larger than a write to disk.
const (
	chunk       = 1 << 20
	markedChunk = 384 << 10
)

// record records the first n bytes of the list in one direction. fl.mu is held.
func (fl *Flow) record(at time.Time, way int, list [][]byte, n int) {
	f := fl.file
	f.mu.Lock()
	defer f.mu.Unlock()
	from := cursor{list: list}
	for n > 0 {
		part, least := min(n, chunk), minCut
		if fl.half[way].framing.marked {
			part, least = min(n, markedChunk), minFPDU
		}
		if !f.room(part + (part/least+2)*packetRoom + fl.lateRoom() + fl.repeatRoom()) {
			return
		}
		fl.recordPart(at, way, &from, part)
		n -= part
	}
	f.nudge()
}

// minCut is less than half of what two consecutive packets carry. A packet with one
// FPDU can have minFPDU.
const minCut = maxPayload / 2

var minFPDU = iwarp.FPDULen(iwarp.TaggedHeaderSize)

// recordPart does so with bytes that there is room for.
func (fl *Flow) recordPart(at time.Time, way int, from *cursor, n int) {
	h := &fl.half[way]
	p := append(fl.file.scratch[:0], h.late...)
	h.late = h.late[:0]
	for n > 0 || len(p) > 0 {
		k := min(n, maxPayload-len(p))
		p = from.take(p, k)
		n -= k
		cut := len(p)
		if n > 0 || h.framing.marked { // does not fit, or must be a packet of its own
			if b := h.framing.border(p); b > 0 {
				cut = b
			}
		}
		if n == 0 {
			cut = min(cut, len(p)-h.framing.late(p))
		}
		if cut == 0 {
			h.late = append(h.late, p...)
			return
		}
		fl.putData(at, way, p[:cut])
		p = p[:copy(p, p[cut:])]
	}
}

// A cursor goes through a list of bytes, and does not change it.
type cursor struct {
	list [][]byte
	done int // of the first
}

func (c *cursor) take(to []byte, n int) []byte {
	for n > 0 {
		b := c.list[0][c.done:]
		k := min(n, len(b))
		to = append(to, b[:k]...)
		n -= k
		c.done += k
		if c.done == len(c.list[0]) {
			c.list, c.done = c.list[1:], 0
		}
	}
	return to
}

// follow keeps the data that must be repeated if another file begins.
func (fl *Flow) follow(way int, p []byte) {
	h := &fl.half[way]
	h.total += uint64(len(p))
	for len(p) > 0 {
		starting := h.framing.phase == startUp
		n, whole := h.framing.step(p)
		switch {
		case h.framing.phase == unknown:
			h.frame = nil
			h.forget()
		case starting:
			h.frame = append(h.frame, p[:n]...)
			if whole && wantsMarkers(h.frame) {
				fl.half[1-way].framing.marked = true
			}
		case whole:
			h.forget()
		case !h.framing.marked:
			h.keep(p[:n])
		}
		p = p[n:]
	}
}

// put adds a packet of one direction to the capture. Both locks are held, and there is
// room for it.
func (fl *Flow) put(way int, s *segment, payload []byte) {
	fl.enter(s.at, packetRoom+len(payload))
	s.seq, s.ack = fl.half[way].next, fl.half[1-way].next
	fl.address(way, s)
	fl.file.put(s, payload)
}

// enter ensures that need more bytes fit into the file. If the file is full, it begins
// the next one with the introduction of the flow.
func (fl *Flow) enter(at time.Time, need int) {
	f := fl.file
	if fl.number != f.number {
		need += fl.repeatRoom()
	}
	if f.size+int64(need) > f.cfg.FileSize {
		f.next()
	}
	if fl.number != f.number {
		fl.introduce(at)
	}
}

func (fl *Flow) address(way int, s *segment) {
	s.from, s.to, s.out = fl.half[way].addr, fl.half[1-way].addr, way == ours
}
