package stream

import (
	"net"

	"github.com/godapl/godapl/internal/iwarp"
)

// Towards a peer that is not known to be ours, each FPDU fits into one TCP
// segment and begins one (RFC 5044, section 5): hardware may place segments as
// they come, and Linux's siw loses its place where a segment ends inside of an
// FPDU's trailer. To TCP, such an FPDU is a record of its own, so it neither
// shares a segment with its neighbours nor is cut by what was sent before.
//
// Our own receiver reads a stream of bytes. For it FPDUs are as long as their
// length field can say, and go out many at a time.

const longULPDU = iwarp.MaxULPDU - 3

// align chooses the size of FPDUs before anything is known of the peer. A
// stream that is not TCP has no segments.
func (c *Conn) align(conn net.Conn) {
	t, ok := conn.(*net.TCPConn)
	switch {
	case ok && c.peer.Load() != peerGodapl: // an initiator of ours has told already
		c.aligned.Store(true)
		c.mulpdu.Store(int32(iwarp.MULPDU(emss(t), c.markers)))
	case c.markers:
		c.mulpdu.Store(iwarp.MaxMarkedULPDU)
	default:
		c.mulpdu.Store(longULPDU)
	}
}

// unalign is for a peer that has turned out to be ours. The group at hand may still have been made for another.
func (c *Conn) unalign() {
	if c.markers {
		return // so it is not: ours asks for none
	}
	c.mulpdu.Store(longULPDU)
	c.aligned.Store(false)
}
