// Package mailbox sends typed values to actors over RDMA: with back-pressure, with answers, and
// with the news when the other side is gone.
//
// A [Mailbox] takes the values of many senders; a [Sender] belongs to one mailbox:
//
//	box, err := mailbox.Listen(ctx, adapter, ":7000", mailbox.Config[Order, Receipt]{})
//	…
//	for m := range box.C() {
//		m.Reply(Receipt{ID: m.Value.ID})
//	}
//
//	to, err := mailbox.Dial(ctx, adapter, "host:7000", mailbox.DialConfig[Order, Receipt]{})
//	…
//	err = to.Send(ctx, order)
//	receipt, err := to.Ask(ctx, order)
//
// [Sender.Go] has several asks under way without a goroutine for each, and [Mailbox.ReceiveBatch] takes
// many messages at a time.
//
// The same program works within a process, between the processes of a host and between hosts, as
// the adapter does (package rdma).
//
// # Values
//
// Plain types travel as they lie in memory: integers, floats, complex numbers and bools, and
// arrays and structs of them. Nothing is allocated for them. Both sides compare the layouts when a
// sender dials, and the byte order. Padding is sent as zeros; a value with a bool that is neither 0 nor
// 1 is refused. Other types need AppendBinary and UnmarshalBinary, or a [Codec].
//
// Values of a codec that do not fit a slot (Config.Slot) lie in the sender's memory until the mailbox
// has read them: up to Config.MaxValue bytes each, and Config.MaxLarge bytes at a time in all. The
// slice that Codec.Append returns for such a value is the library's until then. One that is refused,
// or whose sender goes away, harms no other. Answers are never read: Config.MaxAnswer and
// DialConfig.MaxAnswer limit them, and Config.AnswerMemory all of them together.
//
// The size of a plain value's type is below 64 KiB, as in every channel of Go; the compiler refuses
// larger ones. That of an answer is up to a MiB.
//
// # Delivery
//
// Values of one sender arrive in the order in which they left, each at most once. A nil error of Send
// says that the value is in the mailbox. Every error of Send is [ErrNotDelivered] or [ErrUnknown], also
// when a context ends the call. Every error of Ask is one of these, or says that the value was delivered:
// [ErrDeclined] if there is no answer, [ErrBadAnswer] if the answer is no value of its type. No error is two
// of them. When the connection ends, the cause of [Sender.Context] tells how many values were delivered, how
// many were refused, and how many may have been delivered.
//
// # Back-pressure
//
// A mailbox holds Config.Depth values. When it is full, the values of each sender wait in the
// sender's own slots, Config.Window of them, and further calls of Send wait. So no sender takes the
// memory of another: one that sends more than its window ends its own connection and costs the
// others nothing. While there is room, values enter the mailbox in the order of arrival. When it is full, the
// senders take turns: one whose value has arrived waits for at most one turn of each of the others, and for its
// own earlier ones. A turn is one value; if Depth is 128 or more, it is Depth/64 values, at most 16. The sides tell
// each other what they have taken, so no sender waits for a timer, with one exception: if a program that has always
// come back for messages at once stays away, senders may wait for a millisecond or two.
// Answers are different: a sender that no longer receives keeps the memory of its answers,
// MaxAnswer for each of its asks at most, until its connection ends (Config.AnswerMemory).
//
// # Within a process
//
// A sender whose mailbox is in the same process (path "loop") puts plain values straight into it,
// and its answers come straight back, with all of the promises above. What has to wait for room or for the
// turn of another sender, and what is refused, goes over the connection; both ends are told by it, too.
//
// # Devices
//
// The tests run on the software adapter, and the main ones of them on Linux's software devices, rxe and siw; no card
// was tried. On iWARP devices a sender that guesses a key could write into a value while it is read from
// another.
package mailbox
