package capture

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
	"github.com/godapl/godapl/internal/iwarp"
)

// start begins a capture in a folder of the test's own.
func start(t testing.TB, cfg Config) (*File, string) {
	t.Helper()
	dir := t.TempDir()
	cfg.Path = filepath.Join(dir, "x.pcapng")
	f, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f, dir
}

var (
	here4  = netip.MustParseAddrPort("198.51.100.1:40001")
	there4 = netip.MustParseAddrPort("198.51.100.2:40002")
	here6  = netip.MustParseAddrPort("[2001:db8::1]:40001")
	there6 = netip.MustParseAddrPort("[2001:db8::2]:40002")
)

func tcp(a netip.AddrPort) net.Addr { return net.TCPAddrFromAddrPort(a) }

// send records bytes as sent, as a list of several pieces.
func send(fl *Flow, p []byte) {
	fl.Hold()
	third := len(p) / 3
	fl.Sent([][]byte{p[:third], nil, p[third : 2*third], p[2*third:], []byte("not sent")}, len(p))
}

func request(markers bool) []byte {
	b, _ := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true, Markers: markers, Private: []byte("hello")})
	return b
}

func reply() []byte {
	b, _ := iwarp.AppendReply(nil, &iwarp.Frame{Revision: iwarp.Revision1, CRC: true})
	return b
}

// fpdu is a whole FPDU with a ULPDU of n bytes.
func fpdu(r *rand.Rand, n int) []byte {
	b := make([]byte, iwarp.LengthSize+n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return iwarp.FinishFPDU(b, 0, true)
}

// whole parses a stream to its end and counts its FPDUs.
func whole(t *testing.T, stream []byte, frame int) int {
	t.Helper()
	n := 0
	for b := stream[frame:]; len(b) > 0; n++ {
		_, used, need, err := iwarp.ParseFPDU(b, true)
		if err != nil || used == 0 {
			t.Fatalf("FPDU %d of a stream: %v, %d bytes short", n+1, err, need)
		}
		b = b[used:]
	}
	return n
}

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// only returns the conversation if there is exactly one.
func only(t *testing.T, packets []capturetest.Packet) *capturetest.Conversation {
	t.Helper()
	all := capturetest.Follow(t, packets)
	if len(all) != 1 {
		t.Fatalf("%d connections, want one", len(all))
	}
	return all[capturetest.EndsOf(packets[0].From, packets[0].To)]
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
