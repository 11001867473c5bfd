package neighbour

import (
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// Hello is the handshake message. The dialing side sends its doorbell with the request; the listening side
// answers with the connection's memory and its own doorbell. The dialing side then confirms that it is ready.
type Hello struct {
	Kind    uint8
	Barrier bool // the process takes part in membarrier
	Sees    bool // it can read the receiver's memory
	// Refuses is the remote rights that the receiver does not have on this connection. It sends such an access as
	// a request, which is refused.
	Refuses hca.Access
	Reads   struct{ In, Out int }
	Service uint64
	Zone    uint64
	Conn    uint64
	Probe   uint64 // address of the secret in its memory
	Secret  [16]byte
	// Group and Slot are how the connection is known there, if several share a doorbell: see package group. Then two
	// more descriptors come with the message. Group is 0 if it has a doorbell of its own only, or before the answer. Own
	// says that it has one of its own, too.
	Group   uint64
	Slot    uint32
	Own     bool
	Private []byte
}

// Kinds of hellos.
const (
	HelloRequest = iota + 1
	HelloAccept
	HelloReject // rejected by the program
	HelloRefuse // refused by the adapter
	HelloReady
)

const (
	helloMagic = "godapl-shm\x00\x05" // the last byte is the protocol's version
	HelloFixed = len(helloMagic) + 2 + 4 + 4*8 + 16 + 8 + 4
	helloMost  = HelloFixed + core.MaxPrivate
)

var order = binary.NativeEndian // both ends run on one machine

// refusable are the rights in the order of their bits.
var refusable = [...]hca.Access{hca.RemoteRead, hca.RemoteWrite, hca.RemoteAtomic}

// ErrHello says that a message is no hello.
var ErrHello = errors.New("not a hello of this protocol and version")

const ownBit = 4 << len(refusable)

// Append appends the message to b.
func (h *Hello) Append(b []byte) []byte {
	b = append(b, helloMagic...)
	can := byte(0)
	if h.Barrier {
		can = 1
	}
	if h.Sees {
		can |= 2
	}
	for i, right := range refusable {
		if h.Refuses&right != 0 {
			can |= 4 << i
		}
	}
	if h.Own {
		can |= ownBit
	}
	b = append(b, h.Kind, can)
	b = order.AppendUint16(b, uint16(h.Reads.In))
	b = order.AppendUint16(b, uint16(h.Reads.Out))
	b = order.AppendUint64(b, h.Service)
	b = order.AppendUint64(b, h.Zone)
	b = order.AppendUint64(b, h.Conn)
	b = order.AppendUint64(b, h.Probe)
	b = append(b, h.Secret[:]...)
	b = order.AppendUint64(b, h.Group)
	b = order.AppendUint32(b, h.Slot)
	return append(b, h.Private...)
}

func (h *Hello) parse(b []byte, at *hca.Attr) error {
	if len(b) < HelloFixed || len(b) > helloMost || string(b[:len(helloMagic)]) != helloMagic {
		return ErrHello
	}
	b = b[len(helloMagic):]
	h.Kind, h.Barrier, h.Sees, h.Own = b[0], b[1]&1 != 0, b[1]&2 != 0, b[1]&ownBit != 0
	for i, right := range refusable {
		if b[1]&(4<<i) != 0 {
			h.Refuses |= right
		}
	}
	h.Reads.In, h.Reads.Out = int(order.Uint16(b[2:])), int(order.Uint16(b[4:]))
	h.Service = order.Uint64(b[6:])
	h.Zone = order.Uint64(b[14:])
	h.Conn = order.Uint64(b[22:])
	h.Probe = order.Uint64(b[30:])
	copy(h.Secret[:], b[38:])
	h.Group, h.Slot = order.Uint64(b[54:]), order.Uint32(b[62:])
	h.Private = append([]byte(nil), b[66:]...)
	if h.Reads.In > at.MaxReadsIn || h.Reads.Out > at.MaxReadsOut || h.Kind == 0 || h.Kind > HelloReady {
		return ErrHello
	}
	if h.Group != 0 && h.Kind != HelloAccept && h.Kind != HelloReady {
		return ErrHello // nobody would take the descriptors over
	}
	return nil
}

// SendHello sends a handshake message.
func SendHello(sock Socket, h *Hello, fds ...int) error {
	rawmem.RaceSend()
	return sock.Send(h.Append(nil), fds...)
}

// RecvHello receives one handshake message with the given number of descriptors. On an error it still returns
// the descriptors that arrived.
func RecvHello(sock Socket, at *hca.Attr, kind uint8, fds int) (*Hello, []int, error) {
	var b [helloMost + 1]byte
	n, got, err := sock.Recv(b[:])
	if err != nil {
		return nil, got, err
	}
	rawmem.RaceRecv()
	h := new(Hello)
	if err := h.parse(b[:n], at); err != nil {
		return nil, got, err
	}
	if h.Group != 0 {
		fds += 2
	}
	if h.Kind == kind && len(got) != fds || h.Kind != kind && len(got) != 0 {
		return nil, got, ErrHello
	}
	if h.Kind != kind && (kind != HelloAccept || h.Kind != HelloReject && h.Kind != HelloRefuse) {
		return nil, got, ErrHello
	}
	return h, got, nil
}
