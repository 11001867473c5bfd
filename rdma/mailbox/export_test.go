package mailbox

import (
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// RawValue makes the message of a value of a plain type, and returns its length.
func RawValue[T any](b []byte, v T) int {
	c, err := newCoder[T](nil, 0, 0)
	if err != nil {
		panic(err)
	}
	n, _, err := c.put(b[headerSize:], &v)
	if err != nil {
		panic(err)
	}
	header{kind: kindValue, length: n}.put(b)
	return headerSize + n
}

// Hello is the private data of a sender with plain types.
func Hello[T, R any](window, asks int) []byte {
	values, answers := layoutOf(reflect.TypeFor[T]()).String(), layoutOf(reflect.TypeFor[R]()).String()
	h := hello{window: window, asks: asks, bytes: 16, values: hashOf(values), answers: hashOf(answers), message: 256}
	return h.marshal(helloSize)
}

// Spoil sets a byte of a value.
func Spoil[V any](v *V, at int, to byte) { bytesOf(v)[at] = to }

// Heard waits until a message has arrived that no call has handled. No call may wait meanwhile.
func (s *Sender[T, R]) Heard(t testing.TB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.recvs.WaitBatch(t.Context(), s.batch[:])
	for _, c := range s.batch[:n] {
		err = errors.Join(err, s.recvs.Post(c))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Yield lets other goroutines run.
func Yield() { runtime.Gosched() }

// Abort ends the connection of the message's sender abruptly.
func (m Message[T, R]) Abort() { _ = m.peer.ep.Abort() }

// Welcome is the answer of a mailbox of T.
func Welcome[T any](window, asks int) []byte {
	size := layoutOf(reflect.TypeFor[T]()).size
	messages, records := gathering(window, headerSize+max(size, mem.RemoteSize))
	h := hello{window: window, asks: asks, bytes: size, slot: max(size, 1), messages: messages, message: records * (headerSize + max(size, mem.RemoteSize))}
	return h.marshal(helloSize)
}

// RawDecline makes the message that declines an ask.
func RawDecline(b []byte, id uint64) int {
	header{kind: kindDecline, id: id}.put(b)
	return headerSize
}

// Asking is how many asks wait: one for its answer, the others for their turn.
func (s *Sender[T, R]) Asking() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := s.turns.first; c != nil; c = c.next {
		n++
	}
	return n + int(s.posted)
}

// Flushing is how many calls wait until values are in the mailbox.
func (s *Sender[T, R]) Flushing() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := s.placing.first; c != nil; c = c.next {
		n++
	}
	return n
}

// Peers is how many senders have a place.
func (b *Mailbox[T, R]) Peers() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.peers {
		if p != nil {
			n++
		}
	}
	return n
}

// LargeUsed is how many bytes of large values are under way.
func (b *Mailbox[T, R]) LargeUsed() int {
	b.large.mu.Lock()
	defer b.large.mu.Unlock()
	return b.large.used
}

// Abort ends the sender's connection abruptly.
func (s *Sender[T, R]) Abort() { _ = s.conn.Abort() }

// CodecHello is the private data of a sender with values of a codec.
func CodecHello[R any](codec string, window, asks int) []byte {
	h := hello{window: window, asks: asks, bytes: 1024, values: hashOf("codec " + codec), answers: hashOf(layoutOf(reflect.TypeFor[R]()).String()), message: 256}
	return h.marshal(helloSize)
}

// RawBytes makes the message of a value of a codec, in a message, or of an answer.
func RawBytes(b []byte, answers uint64, body []byte) int {
	h := header{kind: kindValue, length: len(body)}
	if answers != 0 {
		h = header{kind: kindAnswer, length: len(body), id: answers, placed: 1}
	}
	h.put(b)
	return headerSize + copy(b[headerSize:], body)
}

// RawLarge makes the message of a value in the sender's memory.
func RawLarge(b []byte, ask uint64, where mem.Remote) int {
	text, err := where.AppendBinary(b[:headerSize])
	if err != nil {
		panic(err)
	}
	h := header{kind: kindLargeValue, id: ask, length: mem.RemoteSize}
	if ask != 0 {
		h.kind = kindLargeAsk
	}
	h.put(b)
	return len(text)
}

// ByteOf is a byte of a value.
func ByteOf[V any](v *V, i int) byte { return bytesOf(v)[i] }

// AnswersUsed is how many bytes the answers have.
func (b *Mailbox[T, R]) AnswersUsed() int {
	b.out.mu.Lock()
	defer b.out.mu.Unlock()
	return b.out.used
}

// AnswerHello is the private data of a sender with plain values, and with answers of a codec, which
// may have a MiB.
func AnswerHello[T any](codec string, window, asks int) []byte {
	h := hello{window: window, asks: asks, bytes: 1 << 20, values: hashOf(layoutOf(reflect.TypeFor[T]()).String()), answers: hashOf("codec " + codec), message: headerSize + 1<<20}
	return h.marshal(helloSize)
}

// RawAsk makes the message of an ask.
func RawAsk[T any](b []byte, v T, id uint64) int {
	n := RawValue(b, v)
	header{kind: kindAsk, length: n - headerSize, id: id}.put(b)
	return n
}

// Lent is how many values the mailbox may still read.
func (s *Sender[T, R]) Lent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lent)
}

// RegisteredEach is how many bytes of registered memory outside of the heap each sender has.
func (b *Mailbox[T, R]) RegisteredEach() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	parts, n := map[*slab]bool{}, 0
	for _, p := range b.peers {
		if p != nil && p.in.slab != nil {
			parts[p.in.slab] = true
			n++
		}
	}
	all := 0
	for p := range parts {
		if bytes := p.memory.region.Len(); bytes >= mem.PageSize() {
			all += (bytes + mem.PageSize() - 1) &^ (mem.PageSize() - 1)
		}
	}
	return all / n
}

// Handed is how many values went the short way.
func (s *Sender[T, R]) Handed() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handed
}

// Waiting is how many asks wait for a place.
func (s *Sender[T, R]) Waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := s.askTurns.first; c != nil; c = c.next {
		n++
	}
	return n
}

// TakenBeforeCounted lets an ask of the message's sender into a full mailbox as its group does, but the
// program is faster: take runs when the group has not counted the ask. The group must be idle.
func (m Message[T, R]) TakenBeforeCounted(ask uint64, take func(m Message[T, R])) (full bool) {
	of := Message[T, R]{peer: m.peer, ask: ask}
	if m.peer.put(&of) {
		return false
	}
	take(of)
	m.peer.entered(&of)
	return true
}

// Introduce introduces the sender again, and makes the private data of one with its new number. Met
// says whether a mailbox has found it; forget ends that.
func Introduce[T, R any](s *Sender[T, R], window, asks int) (hello []byte, met func() bool, forget func()) {
	number, i := introduce(s)
	hello = Hello[T, R](window, asks)
	binary.BigEndian.PutUint64(hello[32:], number)
	return hello, func() bool { return i.peer.Load() != nil }, func() { introductions.Delete(number) }
}

// Counted is how many values of the message's sender the mailbox is done with.
func (m Message[T, R]) Counted() uint64 {
	m.peer.mu.Lock()
	defer m.peer.mu.Unlock()
	return m.peer.placed
}

// CloseEndpoint closes the mailbox's side of the connection of the message's sender.
func (m Message[T, R]) CloseEndpoint() { _ = m.peer.ep.Close() }

// Record is the header of a record.
type Record struct {
	Kind       byte
	ID, Placed uint64
}

// Records are the records of a message.
func Records(t testing.TB, b []byte) (rs []Record) {
	t.Helper()
	for len(b) > 0 {
		h, end := parse(b)
		if end == 0 {
			t.Fatal(noRecord(b))
		}
		rs, b = append(rs, Record{byte(h.kind), h.id, h.placed}), b[end:]
	}
	return rs
}

// Gathering is how many messages a sender of T may have under way, and how many values fit each.
func Gathering[T any](window int) (messages, records int) {
	return gathering(window, headerSize+max(layoutOf(reflect.TypeFor[T]()).size, mem.RemoteSize))
}

// GatheringOf is the same for records of so many bytes.
func GatheringOf(window, record int) (messages, records int) { return gathering(window, record) }

// RawPlaced makes the message that tells how many values are placed.
func RawPlaced(b []byte, placed uint64) int {
	header{kind: kindPlaced, placed: placed}.put(b)
	return headerSize
}

// Posted is how many values were put into messages, and Left how many of them have left.
func (s *Sender[T, R]) Posted() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posted
}

// EndWait is how long Close waits for the mailbox.
func (s *Sender[T, R]) EndWait(d time.Duration) { s.endWait = d }

// EndWait is how long Close waits for a sender.
func (b *Mailbox[T, R]) EndWait(d time.Duration) { b.endWait = d }

// Parting reports whether Close is ending the connection.
func (s *Sender[T, R]) Parting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parting
}

// Parting reports whether the mailbox's Close is ending the connection to the message's sender.
func (m Message[T, R]) Parting() bool {
	m.peer.mu.Lock()
	defer m.peer.mu.Unlock()
	return m.peer.parting
}

// Awake is how many calls count as woken. The caller is the sender's codec.
func (s *Sender[T, R]) Awake() int { return s.awake }

// Left is how many values have left.
func (s *Sender[T, R]) Left() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Leads reports whether a call waits for completions.
func (s *Sender[T, R]) Leads() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leader != nil
}

// Settled is how many values the mailbox is done with, as far as the sender has been told. It looks.
func (s *Sender[T, R]) Settled() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	return s.handed + s.placed
}

// LeastBacklog takes what has arrived, and is the least number of values of a sender that wait for their
// turn; 0 if there are not so many senders.
func (b *Mailbox[T, R]) LeastBacklog(senders int) (least uint64) {
	g := &b.intake
	if b.Peers() < senders {
		return 0
	}
	g.do(func() {
		var batch [64]rdma.Completion
		for n := len(batch); n == len(batch); {
			n = g.recvs.Dispatcher().Poll(batch[:])
			for i := range batch[:n] {
				g.arrived(&batch[i])
			}
		}
		least = 1 << 63
		for _, p := range b.peers {
			if p != nil {
				least = min(least, p.arrived-p.handled)
			}
		}
	})
	return least
}

// Halt stops the intake until release is called.
func (b *Mailbox[T, R]) Halt() (release func()) {
	halted, more := make(chan struct{}), make(chan struct{})
	go b.intake.do(func() {
		close(halted)
		<-more
	})
	<-halted
	return func() { close(more) }
}

// IntakeDepth is how many completions of receives there may be, and for how many there is room.
func (b *Mailbox[T, R]) IntakeDepth() (need, depth int) {
	b.intake.mu.Lock()
	defer b.intake.mu.Unlock()
	return b.intake.need, b.intake.recvs.Depth()
}

// Slabs is how many registrations the receives of the senders have, and how many of these have a place.
func (b *Mailbox[T, R]) Slabs() (in, free int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[*slab]bool{}
	for _, p := range b.peers {
		if p != nil {
			all[p.in.slab] = true
		}
	}
	b.slabs.mu.Lock()
	defer b.slabs.mu.Unlock()
	for _, all := range b.slabs.free {
		free += len(all)
	}
	return len(all), free
}

// FreeTags is how many places of senders that were taken down can be used again.
func (b *Mailbox[T, R]) FreeTags() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.free)
}

// FirstIntake is how many completions of receives there is room for at first.
const FirstIntake = firstIntake

// ComesSoon lets the program count as one that comes back soon, whatever it does meanwhile.
func (b *Mailbox[T, R]) ComesSoon() { b.intake.perMessage, b.intake.atMost = time.Hour, time.Hour }

// IntakeLeads reports whether the goroutine of the intake takes what arrives.
func (b *Mailbox[T, R]) IntakeLeads() bool { return b.intake.alone.Load() }

// Unwatched reports whether the goroutine does not look whether somebody leads.
func (b *Mailbox[T, R]) Unwatched() bool { return !b.intake.armed.Load() }

// Resume lets the goroutine of the intake lead, if no call does.
func (b *Mailbox[T, R]) Resume() { b.intake.resumes() }

// Soon reports whether answers wait for the next call.
func (b *Mailbox[T, R]) Soon() bool { return b.intake.soon.Load() }

// FirstPeerEnded is closed behind the last completion of the first sender.
func (b *Mailbox[T, R]) FirstPeerEnded() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.peers[0].ep.Conn().Context().Done()
}

// CallLeads reports whether a call takes what arrives.
func (b *Mailbox[T, R]) CallLeads() bool { return !b.IntakeLeads() && len(b.intake.token) == 0 }

// Target is memory of the mailbox that senders may write to.
func (b *Mailbox[T, R]) Target(t testing.TB) mem.Remote {
	t.Helper()
	region, err := b.zone.Alloc(mem.PageSize(), mem.LocalWrite|mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	return region.Remote()
}
