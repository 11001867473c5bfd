package fakeibv_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// party is a queue pair with the books about it. Its connection events and its calls come
// on goroutines of their own.
type party struct {
	h      *history
	name   string
	node   *node
	qp     hca.QP
	mem    []byte
	mr     hca.MR
	closed bool

	posted []book // requests
	recvs  []book // receives, if it has its own
	failed bool   // a request has failed
	sent   uint64 // sends accepted
	got    uint64 // sends of the peer received

	mu     sync.Mutex
	tried  bool // Connect or Accept was called
	made   error
	asked  bool
	events []hca.ConnEvent
	peer   *party
}

// book is the account of a post.
type book struct {
	op      hca.Op
	flags   hca.Flags
	entries int
}

func (p *party) event(ev hca.ConnEvent) {
	if ev.Kind == hca.EventDisconnected || ev.Kind == hca.EventBroken {
		// All entries are in the completion queues by now.
		if requests, receives := p.qp.Outstanding(); requests+receives > 0 {
			p.wrong("its end is reported while %d requests and %d receives are under way", requests, receives)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, ev)
}

// done notes the result of Connect or Accept.
func (p *party) done(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made = err
}

// over reports whether the party's connection has ended, or could not be made.
func (p *party) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made != nil || len(p.events) > 1
}

// begun reports whether the party's connection has been established.
func (p *party) begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.events) > 0
}

// Identifiers: the party, whether it is a receive, and the number.
func (p *party) id(recv bool, n int) uint64 {
	id := uint64(p.index())<<32 | uint64(n)
	if recv {
		id |= 1 << 31
	}
	return id
}

func (p *party) index() int {
	for i, o := range p.h.parties {
		if o == p {
			return i
		}
	}
	return len(p.h.parties)
}

const slot = 64 // bytes of each post

// post posts a request of a random kind.
func (p *party) post() {
	r := p.h.rng
	n := len(p.posted)
	at := uint32(n % 32 * slot)
	wr := hca.SendWR{ID: p.id(false, n), Op: hca.OpSend, Local: hca.Segment{Addr: p.mr.Addr() + uint64(at), Len: 8, Key: p.mr.LKey()}}
	to := p.peer
	if to == nil {
		to = p // a key that the peer may refuse
	}
	if k := r.IntN(10); k < 5 {
		wr.Op = []hca.Op{hca.OpWrite, hca.OpRead, hca.OpWriteImm, hca.OpFetchAdd, hca.OpWrite}[k]
		wr.Remote, wr.RKey = to.mr.Addr()+4096-slot, to.mr.RKey()
		if r.IntN(40) == 0 {
			wr.RKey++
		}
	} else {
		binary.LittleEndian.PutUint64(p.mem[at:], p.sent)
	}
	if r.IntN(3) == 0 {
		wr.Flags |= hca.Suppress
	}
	if r.IntN(60) == 0 {
		wr.Local.Key ^= 0x5A5A00
	}
	p.posted = append(p.posted, book{op: wr.Op, flags: wr.Flags})
	if err := p.qp.PostSend(wr); err != nil {
		p.posted = p.posted[:n]
		return
	}
	if wr.Op == hca.OpSend {
		p.sent++
	}
}

// receive posts a receive.
func (p *party) receive() {
	n := len(p.recvs)
	at := uint64(2048 + n%16*slot)
	seg := hca.Segment{Addr: p.mr.Addr() + at, Len: 8, Key: p.mr.LKey()}
	p.recvs = append(p.recvs, book{})
	if err := p.qp.PostRecv(hca.RecvWR{ID: p.id(true, n), Local: seg}); err != nil {
		p.recvs = p.recvs[:n]
	}
}

// entry takes an entry of a completion queue into the books.
func (p *party) entry(wc *hca.WC) {
	n := int(wc.ID & (1<<31 - 1))
	books, kind := &p.posted, "request"
	if wc.ID&(1<<31) != 0 {
		books, kind = &p.recvs, "receive"
	}
	if n >= len(*books) {
		p.wrong("an entry of %s %d, which was not accepted: %v", kind, n, wc.Status)
		return
	}
	b := &(*books)[n]
	if b.entries++; b.entries > 1 {
		p.wrong("%s %d completes twice: now %v", kind, n, wc.Status)
	}
	ok := wc.Status == hca.StatusOK
	if kind == "receive" {
		if ok && !p.begun() {
			p.wrong("receive %d succeeds before the connection is established", n)
		}
		if ok && wc.Op == hca.OpRecv {
			if v := binary.LittleEndian.Uint64(p.mem[2048+n%16*slot:]); v != p.got {
				p.wrong("receive %d has message %d, want %d", n, v, p.got)
			}
			p.got++
		}
		return
	}
	switch {
	case ok && p.failed:
		p.wrong("request %d succeeds after a failed one", n)
	case ok && b.flags&hca.Suppress != 0:
		p.wrong("suppressed request %d has an entry of success", n)
	case ok && wc.Op != b.op:
		p.wrong("request %d is %v, was %v", n, wc.Op, b.op)
	}
	for i := range n { // those before it are done
		if o := &(*books)[i]; o.entries == 0 && o.flags&hca.Suppress == 0 {
			p.wrong("request %d completes before %d", n, i)
			break
		}
	}
	p.failed = p.failed || !ok
}

func (p *party) wrong(format string, a ...any) {
	p.h.wrong("%s: %s", p.name, fmt.Sprintf(format, a...))
}

// audit looks at the books when all is closed.
func (p *party) audit() {
	defer p.count()
	for i, b := range p.posted {
		if b.entries == 0 && b.flags&hca.Suppress == 0 {
			p.wrong("request %d (%v) of %d never completed", i, b.op, len(p.posted))
		}
	}
	for i, b := range p.recvs {
		if b.entries == 0 {
			p.wrong("receive %d of %d never completed", i, len(p.recvs))
		}
	}
	made, over := 0, 0
	for _, ev := range p.events {
		switch ev.Kind {
		case hca.EventEstablished:
			made++
		case hca.EventDisconnected, hca.EventBroken:
			if over++; made == 0 {
				p.wrong("an end before the beginning: %v", ev.Err)
			}
			if ev.Err == nil && (ev.Kind == hca.EventBroken || !p.asked) {
				p.wrong("an end of kind %d without a cause", ev.Kind)
			}
			var e *hca.Error
			if ev.Err != nil && !errors.As(ev.Err, &e) {
				p.wrong("a cause of type %T: %v", ev.Err, ev.Err)
			}
		}
	}
	if made > 1 || over != made {
		p.wrong("established %d times, ended %d times", made, over)
	}
	if p.tried && (p.made == nil) != (made == 1) {
		p.wrong("Connect or Accept says %v, and it was established %d times", p.made, made)
	}
}

// count adds what the party has seen to the totals.
func (p *party) count() {
	if p.tried && p.made != nil {
		p.h.total["refused connection"]++
	}
	for _, ev := range p.events {
		if ev.Kind == hca.EventEstablished {
			p.h.total["established"]++
		} else {
			p.h.total["ended"]++
		}
	}
}
