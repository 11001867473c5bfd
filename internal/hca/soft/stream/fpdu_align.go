package stream

import (
	"net"

	"github.com/godapl/godapl/internal/iwarp"
)

// For a peer that may not be this library, each FPDU fits into one TCP segment and begins one (RFC 5044,
// section 5): hardware may place segments in any order, and Linux's siw loses its position where a segment ends
// inside an FPDU's trailer. TCP treats such an FPDU as a record of its own, so it neither shares a segment with
// the FPDUs around it nor is cut because of earlier bytes.
//
// This library's own receiver reads a stream of bytes. For it, an FPDU is as long as the length field allows,
// and many are written together.

const longULPDU = iwarp.MaxULPDU - 3

// align chooses the size of FPDUs before the peer is identified. A stream that is not TCP has no segments.
func (c *Conn) align(conn net.Conn) {
	t, ok := conn.(*net.TCPConn)
	switch {
	case ok && c.peer.Load() != peerGodapl: // an initiator of this library has identified itself already
		c.aligned.Store(true)
		c.mulpdu.Store(int32(iwarp.MULPDU(emss(t), c.markers)))
	case c.markers:
		c.mulpdu.Store(iwarp.MaxMarkedULPDU)
	default:
		c.mulpdu.Store(longULPDU)
	}
}

// unalign is called when the peer is identified as this library. The current group may still be aligned.
func (c *Conn) unalign() {
	if c.markers {
		return // not this library: it never requests markers
	}
	c.mulpdu.Store(longULPDU)
	c.aligned.Store(false)
}
