package rsock

import "fmt"

// Message is the 32 bits that follow each write, or come alone. The upper three bits are the
// kind.
type Message uint32

// MessageSize is the bytes of a message that is a send.
const MessageSize = 4

// MaxData is the most bytes that one message can announce.
const MaxData = 1<<29 - 1

// Kind is the upper three bits of a message.
type Kind uint8

// Kinds. Others are reserved.
const (
	Data     Kind = 0 // bytes of the stream were written
	Window   Kind = 4 // a new limit of data messages, and perhaps an entry
	IOMapped Kind = 6 // an entry for zero-copy transfers was written
	Control  Kind = 7 // Disconnect, Shutdown
)

// Control messages.
const (
	Disconnect = Message(7) << 29
	Shutdown   = Message(7)<<29 | 2
)

// DataMessage announces n bytes, at least one and at most MaxData.
func DataMessage(n int) Message { return Message(n) }

// WindowMessage tells the limit: the number, modulo 2^16, of the first data message that must not
// be sent.
func WindowMessage(limit uint16) Message { return Message(Window)<<29 | Message(limit) }

// Kind is the kind of m.
func (m Message) Kind() Kind { return Kind(m >> 29) }

// Value is the lower 29 bits of m.
func (m Message) Value() uint32 { return uint32(m) & MaxData }

// Limit is the limit of a Window message, which has it in its lower 16 bits.
func (m Message) Limit() uint16 { return uint16(m) }

// String tells kind and value.
func (m Message) String() string {
	switch k := m.Kind(); k {
	case Data:
		return fmt.Sprintf("data of %d bytes", m.Value())
	case Window:
		return fmt.Sprintf("window up to %d", m.Limit())
	case IOMapped:
		return fmt.Sprintf("iomap entry %d", m.Value())
	case Control:
		switch m {
		case Disconnect:
			return "disconnect"
		case Shutdown:
			return "shutdown"
		}
	}
	return fmt.Sprintf("message %#08x", uint32(m))
}

// PutMessage stores m into four bytes, in the order of its sender.
func PutMessage(b []byte, m Message, big bool) { order(big).PutUint32(b, uint32(m)) }

// GetMessage loads a message of a peer.
func GetMessage(b []byte, big bool) Message { return Message(order(big).Uint32(b)) }
