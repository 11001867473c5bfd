package vipl

import "encoding/binary"

// greeting is the private data of a request to connect, and of the answer: what both sides
// must agree on, and in a request the discriminators.
type greeting struct {
	kind          byte
	attrs         VIAttributes // without QoS and Ptag
	local, remote []byte       // discriminators, as the sender sees them
}

// Kinds of greetings.
const (
	asClient = iota + 1
	asPeer
	asAnswer
)

// The first two bytes of a greeting, and the size of its fixed part. At most 43 bytes are
// sent, which InfiniBand can carry. It may fill them up with zeros, so the lengths are inside.
const (
	greetingMagic = "V\x01"
	greetingFixed = 11
)

func (g *greeting) bytes() []byte {
	b := append([]byte(greetingMagic), g.kind, byte(g.attrs.ReliabilityLevel))
	b = binary.BigEndian.AppendUint32(b, g.attrs.MaxTransferSize)
	flags := byte(0)
	if g.attrs.EnableRdmaWrite {
		flags |= 1
	}
	if g.attrs.EnableRdmaRead {
		flags |= 2
	}
	b = append(b, flags, byte(len(g.local)), byte(len(g.remote)))
	return append(append(b, g.local...), g.remote...)
}

func parseGreeting(b []byte) (g greeting, ok bool) {
	if len(b) < greetingFixed || string(b[:2]) != greetingMagic {
		return g, false
	}
	g.kind = b[2]
	g.attrs = VIAttributes{ReliabilityLevel: ReliabilityLevel(b[3]), MaxTransferSize: binary.BigEndian.Uint32(b[4:]),
		EnableRdmaWrite: b[8]&1 != 0, EnableRdmaRead: b[8]&2 != 0}
	local, remote := int(b[9]), int(b[10])
	b = b[greetingFixed:]
	if local > MaxDiscriminatorLen || remote > MaxDiscriminatorLen || len(b) < local+remote {
		return g, false
	}
	g.local, g.remote = b[:local:local], b[local:local+remote:local+remote]
	return g, true
}

// fits compares the attributes of the two sides of a connection.
func (a *VIAttributes) fits(b *VIAttributes) Return {
	switch {
	case a.ReliabilityLevel != b.ReliabilityLevel:
		return InvalidReliabilityLevel
	case a.MaxTransferSize != b.MaxTransferSize:
		return InvalidMTU
	}
	return Success
}
