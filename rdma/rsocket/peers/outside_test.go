package peers_test

import (
	"errors"
	"net"
	"os"
	"slices"
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

// outsideScenes are the scenes between two machines, which show what a network between them may change.
var outsideScenes = []string{
	"echo", "their half-close first", "our half-close first", "both ways at once", "both ways at once, small",
	"one byte at a time", "keepalive", "they are killed",
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
	played := 0
	for i := range scenes {
		s := &scenes[i]
		if !slices.Contains(outsideScenes, s.name) {
			continue
		}
		for _, role := range []string{"connect", "listen"} {
			played++
			// Both sides go on to the next scene together, so after a failure there is no next one.
			if !t.Run(s.name+"/they "+role, func(t *testing.T) { side(t, s, role, what) }) {
				t.FailNow()
			}
		}
	}
	if played != 2*len(outsideScenes) {
		t.Errorf("%d scenes were played", played)
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
			s.ourPart(t, bounded(t, c))
			return
		}
		s.ourPart(t, (&world{adapter: a}).dialAt(t, s.cfg, what[2]))
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
