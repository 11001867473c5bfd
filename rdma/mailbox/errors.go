package mailbox

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

var (
	// ErrNotDelivered is in the error of a Send or Ask whose value is certainly not in the mailbox
	// and will not be.
	ErrNotDelivered = errors.New("not delivered")
	// ErrUnknown is in the error of a Send or Ask whose value may be in the mailbox or not: the call
	// ended after the value had left.
	ErrUnknown = errors.New("delivered or not, that is unknown")
	// ErrFull is in the error of a TrySend that would have to wait. The value is not delivered.
	ErrFull = errors.New("no room")
	// ErrDeclined is in the error of an Ask that was delivered, and that the mailbox's program does
	// not answer: see Message.Decline.
	ErrDeclined = errors.New("declined")
	// ErrBadAnswer is in the error of an Ask that was delivered and answered, when the answer is no value of
	// its type: the codec does not decode it, it is longer than MaxAnswer, or a bool is neither 0 nor 1.
	ErrBadAnswer = errors.New("the answer does not decode")
	// ErrTypes is in the error of a Dial whose types, byte order or codecs are not those of the mailbox.
	// The error shows both. To dial again does not help, as it may after another rejection.
	ErrTypes = errors.New("the types are not those of the mailbox")
	// ErrProtocol is in every error which says that the peer does not keep to the protocol. Its
	// connection has been ended.
	ErrProtocol = errors.New("the peer does not keep to the mailbox protocol")
)

// errClosed is for calls behind Close, of the mailbox, the sender or the adapter.
var errClosed = &rdma.Error{Op: "use", Object: "mailbox", Code: rdma.ErrClosed}

// What a program that leaves out an argument gets.
var (
	errNilAdapter = invalid("the adapter is nil: rdma.Open opens one")
	errNilContext = &rdma.Error{Op: "use", Object: "mailbox", Code: rdma.ErrInvalid, Detail: "the context is nil: context.Background() is one that never ends"}
)

// errEnded stands for the error with which a connection has ended.
var errEnded = errors.New("the connection has ended")

// errLeft is for answers to a sender of this process that is gone.
var errLeft = &rdma.Error{Op: "reply", Object: "mailbox", Code: rdma.ErrDisconnected}

// Lost is the error with which a sender's connection has ended: the cause of [Sender.Context].
type Lost struct {
	// Delivered is how many of the values sent are certainly in the mailbox, or were. Refused is how many
	// the mailbox has certainly refused. Unknown is how many others have left; they follow those
	// (see Settled). A value whose call has said ErrNotDelivered is in Refused or in none of the numbers.
	Delivered, Refused, Unknown uint64
	// Err is why the connection ended: rdma.ErrDisconnected, rdma.ErrBroken, ErrProtocol, or
	// rdma.ErrClosed after Close.
	Err error
}

// Settled is how many of the values sent the mailbox is done with, whether it took or refused them. They
// are the first ones that have left, asks included, so the next one is the first that is unknown. With
// DialConfig.Async, a program that keeps each value for which Send has returned nil sends again from index
// Settled on: the first Unknown of these may arrive twice, no other.
func (l *Lost) Settled() uint64 { return l.Delivered + l.Refused }

// Error returns the reason and the numbers as text.
func (l *Lost) Error() string {
	return fmt.Sprintf("mailbox: %v; %d values delivered, %d refused, %d unknown", l.Err, l.Delivered, l.Refused, l.Unknown)
}

// Unwrap returns Err.
func (l *Lost) Unwrap() error { return l.Err }

// Refused is the error of a Flush when the mailbox has refused some of the values. It matches
// [ErrNotDelivered]. All other values are in the mailbox.
type Refused struct {
	// Count is how many values were refused.
	Count uint64
	// First is the number of the first of them, from 1: all values and asks of the sender that have
	// left are counted, in their order.
	First uint64
	// Err is why the first was refused.
	Err error
}

// Error returns the reason and both numbers as text.
func (r *Refused) Error() string {
	return fmt.Sprintf("mailbox: %d values refused, first value %d: %v", r.Count, r.First, r.Err)
}

// Unwrap returns Err.
func (r *Refused) Unwrap() error { return r.Err }

// unposted is why a connection ends when a receive cannot be posted; nil if it has ended already.
func unposted(err error) error {
	if errors.Is(err, rdma.ErrState) || errors.Is(err, rdma.ErrDisconnected) || errors.Is(err, rdma.ErrClosed) {
		return nil
	}
	return fmt.Errorf("a receive could not be posted: %w", err)
}

// Each error of a call is of one class: notDelivered, unknown, badAnswer, or ErrDeclined.

func notDelivered(err error) error { return fmt.Errorf("mailbox: %w: %w", ErrNotDelivered, err) }
func unknown(err error) error      { return fmt.Errorf("mailbox: %w: %w", ErrUnknown, err) }
func badAnswer(err error) error    { return fmt.Errorf("mailbox: %w: %w", ErrBadAnswer, err) }
