package mailbox

import (
	"time"

	"github.com/godapl/godapl/rdma"
)

// Config describes a mailbox. The zero value is good for plain types.
type Config[T, R any] struct {
	// Depth is how many values the mailbox holds. When it is full, senders wait until the program
	// takes one. 0: 1024.
	Depth int
	// Window is how many values of one sender may be under way: sent, and not yet in the mailbox.
	// Each takes a slot of memory. Values that are sent at the same time share messages. The smaller of the two sides' numbers counts. 0: 16.
	Window int
	// Asks is how many asks of one sender may wait for their answer; further ones wait before
	// they are sent. The smaller of the two sides' numbers counts. 0: 16.
	Asks int
	// MaxSenders limits the senders that are connected, those counted that are being accepted or taken down. A further
	// one is rejected, and its Dial fails with rdma.ErrRejected; it may dial again later. 0: no limit.
	MaxSenders int
	// Values and Answers are codecs. nil: plain types travel as they lie in memory, and types with
	// AppendBinary and UnmarshalBinary by these.
	Values  *Codec[T]
	Answers *Codec[R]
	// Slot is how many bytes of a value fit a message, up to a MiB. Longer values are read from the
	// sender's memory, one at a time for each sender; the values behind it wait. Each sender has
	// memory for Window slots and for one message more. 0: 1024 for the values of a codec, and the
	// size of a plain type.
	Slot int
	// MaxValue is the longest value that a codec makes, in bytes, up to a GiB. Longer ones are
	// refused. Not used for plain types. 0: 1 MiB.
	MaxValue int
	// MaxLarge limits the total size, in bytes, of the values that are being read from senders'
	// memory at a time; at least the size of one value. A value counts until it is in the mailbox.
	// Further values wait in turn, and take no memory before.
	// 0: 16 MiB, or MaxValue if that is more.
	MaxLarge int
	// LargeTimeout is how long one such read may take; then the sender's connection is ended, so
	// that a sender which has stopped does not hold up the others. 0: 30 seconds.
	LargeTimeout time.Duration
	// MaxAnswer is the longest answer that a codec makes, in bytes, up to a MiB; a sender may have
	// a smaller limit (DialConfig.MaxAnswer). Not used for plain types. 0: 1 MiB.
	MaxAnswer int
	// AnswerMemory is how many bytes of memory the answers to all senders may take at a time, at least
	// those of one answer of a plain type and 24 more. Beyond it, Message.Reply fails with
	// rdma.ErrResources; an answer of a codec that has no room in all of it is too long, as with MaxAnswer.
	// An answer takes its own size and a header of 24 bytes, rounded up, until it has been sent. Answers to
	// one sender together get memory only while as much stays free: a sender that takes none has half of
	// the memory at most. 0: 64 MiB.
	AnswerMemory int
	// Down adds a message to the mailbox when a sender's connection has ended: Message.Down.
	Down bool
}

// DialConfig describes a sender. The zero value is good for plain types.
type DialConfig[T, R any] struct {
	// Window and Asks are as in Config.
	Window, Asks int
	// Values and Answers must be those of the mailbox.
	Values  *Codec[T]
	Answers *Codec[R]
	// MaxAnswer is the longest answer that a codec makes, in bytes, up to a MiB: the mailbox's program
	// cannot send a longer one to this sender. Not used for plain types. 0: 1024.
	MaxAnswer int
	// Async makes Send return when it has copied the value. Flush waits until all values are
	// delivered. If the connection ends, the cause of [Sender.Context] has the numbers of values
	// that were delivered, refused and possibly delivered: see [Lost].
	Async bool
}

// None is for mailboxes whose values are not answered.
type None = struct{}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// limits fills in the limits of memory, and checks them.
func (c *Config[T, R]) limits() error {
	c.Depth = orElse(c.Depth, 1024)
	c.MaxValue = orElse(c.MaxValue, 1<<20)
	c.MaxAnswer = orElse(c.MaxAnswer, maxSlot)
	c.MaxLarge = orElse(c.MaxLarge, max(16<<20, c.MaxValue))
	c.AnswerMemory = orElse(c.AnswerMemory, 64<<20)
	if c.LargeTimeout == 0 {
		c.LargeTimeout = 30 * time.Second
	}
	switch {
	case c.Depth < 1:
		return invalid("Depth is at least 1")
	case c.MaxLarge < c.MaxValue:
		return invalid("MaxLarge is at least MaxValue")
	case c.MaxAnswer < 0 || c.MaxAnswer > maxSlot:
		return invalid("MaxAnswer is up to a MiB")
	case c.MaxSenders < 0:
		return invalid("MaxSenders is not negative")
	case c.AnswerMemory < 0 || c.LargeTimeout < 0:
		return invalid("AnswerMemory and LargeTimeout are not negative")
	}
	return nil
}

func invalid(detail string) error {
	return &rdma.Error{Op: "configure", Object: "mailbox", Code: rdma.ErrInvalid, Detail: detail}
}

// counts checks numbers of a configuration, which travel in 16 bits.
func counts(window, asks *int) error {
	*window, *asks = orElse(*window, 16), orElse(*asks, 16)
	if *window < 1 || *window > 1<<15 || *asks < 1 || *asks > 1<<15 {
		return invalid("Window and Asks are 1 to 32768")
	}
	return nil
}
