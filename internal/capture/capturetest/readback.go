package capturetest

import (
	"bytes"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// A Packet of a file.
type Packet struct {
	From, To netip.AddrPort
	TCP      *layers.TCP // with the payload
	At       time.Time
	Out      bool
	Comment  string
}

// Again tells that the bytes are in an earlier file, too.
func (p *Packet) Again() bool { return strings.HasPrefix(p.Comment, "repeated from") }

// Files are those of a folder, in order.
func Files(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// ReadFile gives the packets of one file.
func ReadFile(t testing.TB, name string) []Packet {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(t, name, b)
}

// Parse does so with what the file holds.
func Parse(t testing.TB, name string, b []byte) []Packet {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(b), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if intf, err := r.Interface(0); err != nil || intf.LinkType != layers.LinkTypeRaw {
		t.Fatalf("%s: interface %+v, %v", name, intf, err)
	}
	var all []Packet
	for {
		data, ci, opts, err := r.ReadPacketDataWithOptions()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%s, packet %d: %v", name, len(all)+1, err)
		}
		p := Packet{At: ci.Timestamp, Out: opts.Flags.Direction == pcapgo.NgEpbFlagDirectionOutbound}
		if len(opts.Comments) > 0 {
			p.Comment = opts.Comments[0]
		}
		p.decode(t, data)
		all = append(all, p)
	}
}

func (p *Packet) decode(t testing.TB, data []byte) {
	t.Helper()
	first := layers.LayerTypeIPv4
	if data[0]>>4 == 6 {
		first = layers.LayerTypeIPv6
	}
	decoded := gopacket.NewPacket(data, first, gopacket.Default)
	if e := decoded.ErrorLayer(); e != nil {
		t.Fatal(e.Error())
	}
	p.TCP = decoded.Layer(layers.LayerTypeTCP).(*layers.TCP)
	if err := p.TCP.SetNetworkLayerForChecksum(decoded.NetworkLayer()); err != nil {
		t.Fatal(err)
	}
	if err, wrong := decoded.VerifyChecksums(); err != nil || len(wrong) > 0 {
		t.Fatalf("checksums: %v %+v", err, wrong)
	}
	length := 0
	switch ip := decoded.NetworkLayer().(type) {
	case *layers.IPv4:
		length = int(ip.Length)
	case *layers.IPv6:
		length = int(ip.Length) + 40
	}
	if length != len(data) {
		t.Fatalf("IP says %d bytes of %d", length, len(data))
	}
	ends := decoded.NetworkLayer().NetworkFlow()
	src, _ := netip.AddrFromSlice(ends.Src().Raw())
	dst, _ := netip.AddrFromSlice(ends.Dst().Raw())
	p.From = netip.AddrPortFrom(src, uint16(p.TCP.SrcPort))
	p.To = netip.AddrPortFrom(dst, uint16(p.TCP.DstPort))
}
