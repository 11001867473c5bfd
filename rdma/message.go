package rdma

import "github.com/godapl/godapl/rdma/mem"

// Message is a message that has arrived in an [Inbox]. It is a value, and belongs to the
// program until Release; copies of it are the same message. Completion tells how the
// receive ended, on which endpoint, and what came along (Op, Immediate, Invalidated); its
// Cookie is the inbox's.
type Message struct {
	Completion
	inbox *Inbox
	turn  uint32
}

// Bytes is the message itself, without a copy, until Release. The program may write to it.
// It is nil after Release, for a receive that failed, and for a write with immediate
// data (OpRecvWriteImm), which puts nothing there.
func (m Message) Bytes() []byte { return m.Slice().Bytes() }

// Slice is the memory of the message, to send an answer from it for example; the zero
// Slice where Bytes is nil. What is posted with it must be complete before Release.
func (m Message) Slice() mem.Slice {
	if m.inbox == nil || m.Status != StatusOK || m.Op == OpRecvWriteImm || m.inbox.turns[m.Cookie].Load() != m.turn {
		return mem.Slice{}
	}
	return m.inbox.slice(int(m.Cookie)).Slice(0, m.Length)
}

// Room is all the memory of the message's receive, InboxConfig.Size bytes: for an answer
// that is longer than the message. It ends with Release, as Slice does.
func (m Message) Room() mem.Slice {
	if m.inbox == nil || m.inbox.turns[m.Cookie].Load() != m.turn {
		return mem.Slice{}
	}
	return m.inbox.slice(int(m.Cookie))
}

// Release gives the memory back, for the next message. Every message must be released,
// also one that failed. It panics if the message was released before. After the inbox has
// been closed it does nothing. It never blocks and allocates nothing.
func (m Message) Release() {
	b := m.inbox
	if b == nil || !b.turns[m.Cookie].CompareAndSwap(m.turn, m.turn+1) {
		panic("rdma: Message.Release: the message has been released before")
	}
	if err := b.post(int(m.Cookie)); err != nil && !b.srq.ended() {
		b.zone.adapter.log.Error("rdma: a released message could not be posted as a receive", "err", err)
	}
}
