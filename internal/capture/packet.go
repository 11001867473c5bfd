package capture

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

const (
	maxPacket = 65535 // of IPv4, with its header
	// maxPayload is how many bytes of a stream one packet carries, a multiple of 4, as
	// FPDUs are.
	maxPayload = (maxPacket - 20 - 20) &^ 3
	// packetRoom bounds the overhead of a packet in a file beside payload and comment.
	packetRoom = 256
)

// segment describes one packet.
type segment struct {
	from, to      netip.AddrPort
	seq, ack      uint32
	opening       bool // the very first, which acknowledges nothing
	syn, fin, rst bool
	push          bool
	out           bool
	at            time.Time
	comment       string
}

// encoder makes packets of segments.
type encoder struct {
	buf gopacket.SerializeBuffer
	ip4 layers.IPv4
	ip6 layers.IPv6
	tcp layers.TCP
	syn []layers.TCPOption
}

func (e *encoder) init() {
	e.buf = gopacket.NewSerializeBufferExpectedSize(128, maxPacket)
	// The largest scale there is, or readers believe that windows are full.
	e.syn = []layers.TCPOption{
		{OptionType: layers.TCPOptionKindMSS, OptionData: binary.BigEndian.AppendUint16(nil, maxPayload)},
		{OptionType: layers.TCPOptionKindNop},
		{OptionType: layers.TCPOptionKindWindowScale, OptionData: []byte{14}},
	}
}

// encode makes the packet, which is good until the next call.
func (e *encoder) encode(s *segment, payload []byte) ([]byte, error) {
	if err := e.buf.Clear(); err != nil {
		return nil, err
	}
	b, err := e.buf.PrependBytes(len(payload))
	if err != nil {
		return nil, err
	}
	copy(b, payload)
	e.tcp = layers.TCP{SrcPort: layers.TCPPort(s.from.Port()), DstPort: layers.TCPPort(s.to.Port()), Seq: s.seq, Ack: s.ack,
		SYN: s.syn, FIN: s.fin, RST: s.rst, ACK: !s.opening, PSH: s.push, Window: 65535}
	if s.syn {
		e.tcp.Options = e.syn
	}
	from, to := s.from.Addr(), s.to.Addr()
	var ip gopacket.SerializableLayer
	if from.Is4() {
		e.ip4 = layers.IPv4{Version: 4, IHL: 5, TTL: 64, Flags: layers.IPv4DontFragment, Protocol: layers.IPProtocolTCP,
			SrcIP: from.AsSlice(), DstIP: to.AsSlice()}
		err, ip = e.tcp.SetNetworkLayerForChecksum(&e.ip4), &e.ip4
	} else {
		e.ip6 = layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolTCP, SrcIP: from.AsSlice(), DstIP: to.AsSlice()}
		err, ip = e.tcp.SetNetworkLayerForChecksum(&e.ip6), &e.ip6
	}
	if err != nil {
		return nil, err
	}
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := e.tcp.SerializeTo(e.buf, opts); err != nil {
		return nil, err
	}
	if err := ip.SerializeTo(e.buf, opts); err != nil {
		return nil, err
	}
	return e.buf.Bytes(), nil
}

var (
	outbound = pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionOutbound}
	inbound  = pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionInbound}
)

// put adds a packet to the file. f.mu is held, and there is room for it.
func (f *File) put(s *segment, payload []byte) {
	b, err := f.encoder.encode(s, payload)
	if err != nil {
		f.fail(err)
		return
	}
	opts := pcapgo.NgPacketOptions{Flags: &inbound}
	if s.out {
		opts.Flags = &outbound
	}
	if s.comment != "" {
		opts.Comments = []string{s.comment}
	}
	ci := gopacket.CaptureInfo{Timestamp: s.at, CaptureLength: len(b), Length: len(b)}
	if err := f.ng.WritePacketWithOptions(ci, b, opts); err != nil {
		f.fail(err)
		return
	}
	_ = f.ng.Flush()
}
