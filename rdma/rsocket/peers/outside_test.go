package peers_test

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// outsideVariable has this test play scenes between two machines: siw with the C side on one, the
// software adapter with ours on the other. Both run this test, with the same table of scenes. The value is
// the side (c or go), the address where it listens, and the address to which it connects.
const outsideVariable = "GODAPL_RSOCKET_OUTSIDE"

// outsideScenes are the scenes between two machines, which show what a network between them may change. They
// move less than those within a machine: the network of a virtual machine is a relay that splits the stream
// where it likes, and siw takes some splits for wrong CRCs, the more of them the more FPDUs there are. For the
// same reason no scene sends single bytes.
var outsideScenes = []scene{
	{name: "echo", theirs: "recv:20000 send:20000 eof", ours: "send:20000 recv:20000"},
	{name: "their half-close first", theirs: "send:20000 shut recv:20000 eof", ours: "recv:20000 eof send:20000"},
	{name: "our half-close first", theirs: "recv:20000 eof send:20000 sleep:3000 shut", ours: "send:20000 shut recv:20000 eof"},
	{name: "both ways at once", theirs: "both:100000 recv:1", ours: "both:100000 send:1 eof"},
	{name: "both ways at once, small", cfg: small, theirs: "both:30000 recv:1", ours: "both:30000 send:1 eof"},
	{name: "keepalive", theirs: "keep:1 send:1 sleep:2500 send:1 recv:1", ours: "recv:2 send:1 eof"},
	{name: "they are killed", theirs: "send:4 recv:4 die", ours: "recv:4 send:4 reset", killed: true},
}

// TestOutside plays each scene with the C side in both roles.
func TestOutside(t *testing.T) {
	what := strings.Fields(os.Getenv(outsideVariable))
	if len(what) != 3 {
		t.Skip(outsideVariable + " is not set: there is no other machine")
	}
	side := outsideC
	if what[0] == "go" {
		side = outsideGo(t, what[1])
	}
	for i := range outsideScenes {
		s := &outsideScenes[i]
		for _, role := range []string{"connect", "listen"} {
			// Both sides go on to the next scene together, so after a failure there is no next one.
			if !t.Run(s.name+"/they "+role, func(t *testing.T) { side(t, s, role, what) }) {
				t.FailNow()
			}
		}
	}
}

// outsideC is the C side of a scene.
func outsideC(t *testing.T, s *scene, role string, what []string) {
	at := what[1]
	if role == "connect" {
		at = what[2]
	}
	host, port, err := net.SplitHostPort(at)
	must(t, err)
	start(t, nil, "rsocket-peer", append([]string{role, host, port}, strings.Fields(s.theirs)...)...).end(s)
}

// outsideGo listens for the C side, and returns our side.
func outsideGo(t *testing.T, at string) func(*testing.T, *scene, string, []string) {
	a, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	ln, err := rsocket.Listen(t.Context(), a, at, rsocket.Config{})
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return func(t *testing.T, s *scene, role string, what []string) {
		if role == "connect" { // to one listener, with its own configuration
			c, err := ln.Accept() // the other machine may still start
			must(t, err)
			s.ourPart(t, bounded(t, c), nil)
			return
		}
		s.ourPart(t, (&world{adapter: a}).dialAt(t, s.cfg, what[2]), nil)
	}
}

// dialAt connects as soon as there is a listener. A port that is forwarded takes connections, and ends
// them, while there is none.
func (w *world) dialAt(t *testing.T, cfg rsocket.Config, address string) *rsocket.Conn {
	t.Helper()
	d := rsocket.Dialer{Adapter: w.adapter, Config: cfg}
	end := time.Now().Add(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := d.Dial("tcp", address)
		if err == nil {
			return bounded(t, c)
		}
		if time.Now().After(end) || errors.Is(err, rsocket.ErrProtocol) {
			t.Fatal(err)
		}
		<-tick.C
	}
}
