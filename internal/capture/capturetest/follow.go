package capturetest

import (
	"net/netip"
	"testing"
	"time"
)

// A Conversation is the data of one TCP connection, both ways.
type Conversation struct {
	Opener  netip.AddrPort
	Comment string // of the first packet
	// By sender: all bytes, those that no earlier file has, and whether FIN or RST was
	// seen.
	Streams map[netip.AddrPort][]byte
	Fresh   map[netip.AddrPort][]byte
	Ended   map[netip.AddrPort]bool

	seq  map[netip.AddrPort]uint32 // that comes next
	last time.Time
}

// Ends are the two ends of a conversation, the lower one first.
type Ends [2]netip.AddrPort

// EndsOf puts two ends in order.
func EndsOf(a, b netip.AddrPort) Ends {
	if b.Compare(a) < 0 {
		return Ends{b, a}
	}
	return Ends{a, b}
}

// Follow reassembles the packets of a file. Every byte must have the next sequence
// number, and only data that is in the file is acknowledged.
func Follow(t testing.TB, packets []Packet) map[Ends]*Conversation {
	t.Helper()
	all := map[Ends]*Conversation{}
	for i, p := range packets {
		key := EndsOf(p.From, p.To)
		if p.TCP.SYN && !p.TCP.ACK {
			all[key] = &Conversation{Opener: p.From, Comment: p.Comment, Streams: map[netip.AddrPort][]byte{},
				Fresh: map[netip.AddrPort][]byte{}, Ended: map[netip.AddrPort]bool{}, seq: map[netip.AddrPort]uint32{}}
		}
		c := all[key]
		if c == nil {
			t.Fatalf("packet %d: not the first, and no SYN before", i+1)
		}
		c.add(t, i, &p)
	}
	return all
}

func (c *Conversation) add(t testing.TB, i int, p *Packet) {
	t.Helper()
	if p.TCP.SYN {
		c.seq[p.From] = p.TCP.Seq
	}
	switch {
	case p.TCP.Seq != c.seq[p.From]:
		t.Fatalf("packet %d: sequence number %d, want %d", i+1, p.TCP.Seq, c.seq[p.From])
	case p.TCP.ACK && p.TCP.Ack != c.seq[p.To]:
		t.Fatalf("packet %d: acknowledges %d, want %d", i+1, p.TCP.Ack, c.seq[p.To])
	case p.At.Before(c.last):
		t.Fatalf("packet %d: goes back in time", i+1)
	case c.Ended[p.From]:
		t.Fatalf("packet %d: behind the end", i+1)
	}
	c.last = p.At
	c.seq[p.From] += uint32(len(p.TCP.Payload))
	if p.TCP.SYN || p.TCP.FIN {
		c.seq[p.From]++
	}
	c.Ended[p.From] = p.TCP.FIN || p.TCP.RST
	c.Streams[p.From] = append(c.Streams[p.From], p.TCP.Payload...)
	if !p.Again() {
		c.Fresh[p.From] = append(c.Fresh[p.From], p.TCP.Payload...)
	}
}
