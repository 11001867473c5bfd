package sharedmem_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/race"
)

// TestShmPolledMessages sends messages of all kinds to a consumer that polls, in all circumstances: some
// completions are handed over directly, the others go through the queue. Each message comes once, in order,
// whole, with the flags of its receive, and each frees its place among the receives.
func TestShmPolledMessages(t *testing.T) {
	const depth, slot, messages = 8, 256, 40_000
	a, b := softtest.Connect(t, "shm", depth, 2*depth*slot)
	sharedmem.WithoutWatch(b.A) // the watch would end the polling where this takes long
	random := rand.New(rand.NewPCG(softtest.SeedOf(t), 1))
	at := func(e *softtest.End, n uint64, size int) (hca.Segment, []byte) {
		off := n % (2 * depth) * slot
		return hca.Segment{Addr: e.MR.Addr() + off, Len: uint32(size), Key: e.MR.LKey()}, e.Mem[off:][:size]
	}
	fill := func(m []byte, n uint64) {
		for i := range m {
			m[i] = byte(n) + byte(i)
		}
		binary.NativeEndian.PutUint64(m, n)
	}
	type sent struct {
		size      int
		op        hca.Op
		solicited bool
	}
	var coming [depth]sent
	var flags [depth]hca.Flags
	var posted, out, got uint64 // receives, messages, messages taken
	var total uint64            // bytes taken
	var wcs [depth]hca.WC
	reap := func() {
		for _, wc := range wcs[:a.SendCQ.Poll(wcs[:])] {
			if wc.Status != hca.StatusOK {
				t.Fatalf("a request ended with %v", wc.Status)
			}
		}
	}
	for got < messages {
		switch k := random.IntN(32); {
		case k < 5:
			f := hca.Flags(random.IntN(2)) * hca.Quiet
			seg, _ := at(b, posted, slot)
			err := b.QP.PostRecv(hca.RecvWR{ID: posted, Flags: f, Local: seg})
			if full := posted-got == depth; full != errors.Is(err, hca.QueueFull) || !full && err != nil {
				t.Fatalf("receive %d, with %d taken: %v", posted, got, err)
			}
			if err == nil {
				flags[posted%depth] = f
				posted++
			}
		case k < 9 && out < posted && out-got < depth:
			m := sent{size: 8 + random.IntN(slot-7), op: hca.OpRecv, solicited: random.IntN(4) == 0}
			wr := hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress}
			if random.IntN(4) == 0 {
				wr.Flags = 0
			}
			if m.solicited {
				wr.Flags |= hca.Solicited
			}
			if random.IntN(8) == 0 {
				m.op, wr.Op, wr.Imm = hca.OpRecvImm, hca.OpSendImm, uint32(out)
			}
			seg, mem := at(a, out, m.size)
			fill(mem, out)
			wr.Local = seg
			err := a.QP.PostSend(wr)
			if errors.Is(err, hca.QueueFull) {
				reap() // the peer has not acknowledged the earlier ones yet
				continue
			}
			if err != nil {
				t.Fatalf("message %d: %v", out, err)
			}
			coming[out%depth] = m
			out++
		case k == 9 && random.IntN(8) == 0:
			if err := b.RecvCQ.Arm(); err != nil {
				t.Fatal(err)
			}
		case k == 10:
			reap()
		default:
			for _, wc := range wcs[:b.RecvCQ.Poll(wcs[:1+random.IntN(depth)])] {
				if got == out {
					t.Fatalf("a completion came of no message: %+v", wc)
				}
				m := coming[got%depth]
				want := hca.WC{ID: got, Owner: wc.Owner, Len: uint64(m.size), Op: m.op, Flags: flags[got%depth]}
				if m.op == hca.OpRecvImm {
					want.Imm = uint32(got)
				}
				if wc != want {
					t.Fatalf("message %d: %+v, want %+v", got, wc, want)
				}
				_, mem := at(b, got, m.size)
				should := make([]byte, m.size)
				if fill(should, got); !bytes.Equal(mem, should) {
					t.Fatalf("message %d came as\n%x, want\n%x", got, mem, should)
				}
				got++
				total += uint64(m.size)
			}
		}
	}
	if direct := got - sharedmem.Entered(b.RecvCQ); direct < messages/2000 || direct > messages*99/100 { // few on a busy machine
		t.Fatalf("of %d messages %d were handed over without an entry: both ways should be had", got, direct)
	}
	for k := 1; k > 0; got += uint64(k) { // what has arrived and was not taken counts, too
		k = b.RecvCQ.Poll(wcs[:])
		for _, wc := range wcs[:k] {
			total += wc.Len
		}
	}
	var s hca.QPStats
	if !b.QP.(hca.QPStatsReader).ReadStats(&s, hca.NewPatience(false)) {
		t.Fatal("no counts")
	}
	plain, imm := s.Ops[hca.OpRecv], s.Ops[hca.OpRecvImm]
	if plain.N+imm.N != got || plain.Bytes+imm.Bytes != total {
		t.Errorf("%+v and %+v were counted, of %d messages with %d bytes", plain, imm, got, total)
	}
}

// polledPair returns a connection whose second end is polled, so that completions are handed over directly, and
// a function that posts and sends one more message without taking it.
func polledPair(t *testing.T) (a, b *softtest.End, send func(room, size uint32)) {
	t.Helper()
	a, b = softtest.Connect(t, "shm", 16, 256)
	sharedmem.WithoutWatch(b.A)
	seg := func(e *softtest.End, n uint32) hca.Segment {
		return hca.Segment{Addr: e.MR.Addr(), Len: n, Key: e.MR.LKey()}
	}
	n := uint64(0)
	send = func(room, size uint32) {
		if err := b.QP.PostRecv(hca.RecvWR{ID: n, Local: seg(b, room)}); err != nil {
			t.Fatal(err)
		}
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a, size)}); err != nil {
			t.Fatal(err)
		}
		n++
	}
	var wcs [8]hca.WC
	for direct := 0; direct < 2; {
		for range 2 { // after a message, the first poll has other work
			if b.RecvCQ.Poll(wcs[:]) != 0 {
				t.Fatal("a completion of nothing")
			}
		}
		before := sharedmem.Entered(b.RecvCQ)
		send(64, 64)
		for b.RecvCQ.Poll(wcs[:]) == 0 {
		}
		if sharedmem.Entered(b.RecvCQ) == before {
			direct++
		} else if n > 100 {
			t.Fatalf("none of %d messages was handed over", n)
		}
	}
	b.RecvCQ.Poll(wcs[:])
	return a, b, send
}

// TestShmPolledMessageTooLong: a message that is longer than its receive ends as usual, also when it is polled.
func TestShmPolledMessageTooLong(t *testing.T) {
	_, b, send := polledPair(t)
	send(64, 65)
	var wcs [8]hca.WC
	for b.RecvCQ.Poll(wcs[:]) == 0 {
	}
	if wcs[0].Status != hca.StatusLocalLength {
		t.Fatalf("%+v", wcs[0])
	}
}

// TestShmPolledMessageBehindAnEntry: an entry that another goroutine puts into the queue after the consumer has
// checked it precedes what the consumer finds.
func TestShmPolledMessageBehindAnEntry(t *testing.T) {
	_, b, send := polledPair(t)
	var wcs [8]hca.WC
	send(64, 10)
	sharedmem.PollConn(b.QP, nil)
	sharedmem.PollConn(b.QP, nil) // so that no other work is pending
	send(64, 20)
	if sharedmem.PollConn(b.QP, &wcs[0]) {
		t.Fatalf("a message of %d was handed over before the one that is in the queue", wcs[0].Len)
	}
	for n := 0; n < 2; { // the adapter's own workers may delay it for a moment
		n += b.RecvCQ.Poll(wcs[n:])
	}
	if wcs[0].Len != 10 || wcs[1].Len != 20 {
		t.Fatalf("%+v", wcs[:2])
	}
}

// TestShmPolledMessagesKeepTheirOrder lets others take messages out of the ring, too: a goroutine that posts
// the awaited receive takes the message. Their entries in the queue are older than what the consumer finds.
func TestShmPolledMessagesKeepTheirOrder(t *testing.T) {
	const depth = 8
	messages := uint64(100_000)
	if race.Enabled {
		messages /= 10
	}
	a, b := softtest.Connect(t, "shm", depth, 8)
	sharedmem.WithoutWatch(b.A)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	repeat := func(post func(n uint64) error) func() {
		return func() {
			for n := uint64(0); n < messages && !t.Failed(); {
				switch err := post(n); {
				case err == nil:
					n++
				case errors.Is(err, hca.QueueFull):
					runtime.Gosched()
				default:
					t.Error(err)
				}
			}
		}
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(repeat(func(n uint64) error { return b.QP.PostRecv(hca.RecvWR{ID: n, Local: seg(b)}) }))
	all.Go(repeat(func(uint64) error {
		return a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)})
	}))
	var wcs [depth]hca.WC
	for n := uint64(0); n < messages; {
		k := b.RecvCQ.Poll(wcs[:])
		for _, wc := range wcs[:k] {
			if wc.ID != n || wc.Status != hca.StatusOK {
				t.Fatalf("completion %d is %+v", n, wc)
			}
			n++
		}
		if k == 0 {
			runtime.Gosched()
		}
	}
	t.Logf("%d of %d had an entry", sharedmem.Entered(b.RecvCQ), messages)
}

// TestShmPolledMessagesLeaveTheSenderItsTurn: if each poll finds a message, every other poll runs the send
// half.
func TestShmPolledMessagesLeaveTheSenderItsTurn(t *testing.T) {
	a, b, send := polledPair(t)
	var wcs [8]hca.WC
	take := func(cq hca.CQ) {
		for cq.Poll(wcs[:]) == 0 {
		}
	}
	for range 16 {
		seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
		if err := a.QP.PostRecv(hca.RecvWR{Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		if err := b.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		take(a.RecvCQ)
		a.RecvCQ.Poll(wcs[:]) // which tells b that it has been handled
		for i := 0; i < 2 || !b.SendCQ.(hca.Peeker).Ready(); i++ {
			if i == 6 { // two, where a could not acknowledge yet
				t.Fatal("six messages were taken, and nobody has looked what became of the one sent")
			}
			send(64, 8)
			take(b.RecvCQ)
		}
		take(b.SendCQ)
		b.RecvCQ.Poll(wcs[:])
	}
}

// TestShmPolledMessagesAreToldOf: a peer that requests no acknowledgement gets one all the same after some
// messages, however they were taken.
func TestShmPolledMessagesAreToldOf(t *testing.T) {
	a, b, _ := polledPair(t)
	random := rand.New(rand.NewPCG(softtest.SeedOf(t), 1))
	var wcs [8]hca.WC
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 64, Key: e.MR.LKey()} }
	for i := range 2000 {
		if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if random.IntN(16) > 0 {
			sharedmem.Forge(a.QP, func() {}, sharedmem.Forged{Kind: sharedmem.FrSend, Flags: sharedmem.FlLast, Len: 16})
		} else if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		for b.RecvCQ.Poll(wcs[:]) == 0 {
		}
		a.SendCQ.Poll(wcs[:])
		if n := sharedmem.Unreleased(b.QP); n >= sharedmem.UnackedMost {
			t.Fatalf("%d messages have been taken, and the peer has not been told of the last %d", i+1, n)
		}
	}
}
