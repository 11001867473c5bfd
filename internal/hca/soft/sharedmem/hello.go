package sharedmem

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// helloMessage is the handshake message. The dialing side sends its doorbell with the request; the listening side
// answers with the connection's memory and its own doorbell. The dialing side then confirms that it is ready.
type helloMessage struct {
	kind    uint8
	barrier bool // the process takes part in membarrier
	sees    bool // it can read the receiver's memory
	// refuses is the remote rights that the receiver does not have on this connection. It sends such an access as
	// a request, which is refused.
	refuses hca.Access
	reads   struct{ in, out int }
	service uint64
	zone    uint64
	conn    uint64
	probe   uint64 // address of the secret in its memory
	secret  [16]byte
	private []byte
}

const (
	helloRequest = iota + 1
	helloAccept
	helloReject // rejected by the program
	helloRefuse // refused by the adapter
	helloReady
)

const (
	helloMagic = "godapl-shm\x00\x02" // the last byte is the protocol's version
	helloFixed = len(helloMagic) + 2 + 4 + 4*8 + 16
	helloMost  = helloFixed + core.MaxPrivate
)

// refusable are the rights in the order of their bits.
var refusable = [...]hca.Access{hca.RemoteRead, hca.RemoteWrite, hca.RemoteAtomic}

var errHello = errors.New("not a hello of this protocol and version")

func (h *helloMessage) append(b []byte) []byte {
	b = append(b, helloMagic...)
	can := byte(0)
	if h.barrier {
		can = 1
	}
	if h.sees {
		can |= 2
	}
	for i, right := range refusable {
		if h.refuses&right != 0 {
			can |= 4 << i
		}
	}
	b = append(b, h.kind, can)
	b = order64.AppendUint16(b, uint16(h.reads.in))
	b = order64.AppendUint16(b, uint16(h.reads.out))
	b = order64.AppendUint64(b, h.service)
	b = order64.AppendUint64(b, h.zone)
	b = order64.AppendUint64(b, h.conn)
	b = order64.AppendUint64(b, h.probe)
	b = append(b, h.secret[:]...)
	return append(b, h.private...)
}

func (h *helloMessage) parse(b []byte, at *hca.Attr) error {
	if len(b) < helloFixed || len(b) > helloMost || string(b[:len(helloMagic)]) != helloMagic {
		return errHello
	}
	b = b[len(helloMagic):]
	h.kind, h.barrier, h.sees = b[0], b[1]&1 != 0, b[1]&2 != 0
	for i, right := range refusable {
		if b[1]&(4<<i) != 0 {
			h.refuses |= right
		}
	}
	h.reads.in, h.reads.out = int(order64.Uint16(b[2:])), int(order64.Uint16(b[4:]))
	h.service = order64.Uint64(b[6:])
	h.zone = order64.Uint64(b[14:])
	h.conn = order64.Uint64(b[22:])
	h.probe = order64.Uint64(b[30:])
	copy(h.secret[:], b[38:])
	h.private = append([]byte(nil), b[54:]...)
	if h.reads.in > at.MaxReadsIn || h.reads.out > at.MaxReadsOut || h.kind == 0 || h.kind > helloReady {
		return errHello
	}
	return nil
}

// hello describes this side and its queue pair.
func (c *Conn) hello(kind uint8, private []byte) *helloMessage {
	h := &helloMessage{kind: kind, barrier: barrier(), sees: c.peer.vm, zone: c.q.PD.ID, conn: c.number, refuses: c.q.Config.Refuse, private: private}
	h.probe, h.secret = ownSecret()
	h.reads.in, h.reads.out = c.q.Config.ReadsIn, c.q.Config.ReadsOut
	return h
}
