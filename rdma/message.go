package rdma

import "github.com/godapl/godapl/rdma/mem"

// Message is a message that has arrived in an [Inbox]. It belongs to the program until
// Release. It is a small value; copies of it are the same message. Completion is the
// completion of its receive: the endpoint, the status, Op, Immediate and Invalidated. The
// Cookie has no meaning for the program.
type Message struct {
	Completion
	inbox *Inbox
	turn  uint32
}

// Bytes is the message itself, not a copy. It is valid until Release, and the program may
// write to it. It is nil after Release, for a receive that failed, and for a write with
// immediate data (OpRecvWriteImm), which carries no message.
func (m Message) Bytes() []byte { return m.Slice().Bytes() }

// Slice is the memory of the message, for posts, such as an answer that is sent from it.
// It is the zero Slice where Bytes is nil. An operation that uses it must complete before
// Release.
func (m Message) Slice() mem.Slice {
	if m.inbox == nil || m.Status != StatusOK || m.Op == OpRecvWriteImm || m.inbox.turns[m.Cookie].Load() != m.turn {
		return mem.Slice{}
	}
	return m.inbox.slice(int(m.Cookie)).Slice(0, m.Length)
}

// Room is the whole memory of the message's receive, [InboxConfig].Size bytes, for an
// answer that is longer than the message. For Release see Slice.
func (m Message) Room() mem.Slice {
	if m.inbox == nil || m.inbox.turns[m.Cookie].Load() != m.turn {
		return mem.Slice{}
	}
	return m.inbox.slice(int(m.Cookie))
}

// Release gives the memory back to the inbox, which posts it as a receive again. Every
// message must be released once, also that of a receive that failed; a second Release
// panics. After the inbox has been closed Release does nothing. It never blocks and
// allocates nothing.
//
// A [Conn.Send] from this memory that returned [ErrTimeout] or [ErrCanceled] may still be in
// progress. Release the message only when [Endpoint.Outstanding] counts no request or the
// connection has ended ([Conn.Context]); otherwise the next message may overwrite the bytes
// that are being sent. The same holds for all other operations on the memory.
func (m Message) Release() {
	b := m.inbox
	if b == nil || !b.turns[m.Cookie].CompareAndSwap(m.turn, m.turn+1) {
		panic("rdma: Message.Release: the message has been released before")
	}
	if err := b.post(int(m.Cookie)); err != nil && !b.srq.ended() {
		b.zone.adapter.log.Error("rdma: a released message could not be posted as a receive", "err", err)
	}
}
