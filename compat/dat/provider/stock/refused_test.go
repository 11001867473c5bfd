package stock

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// refusal is what dapltest prints for an unsupported quality of service.
const refusal = "Cannot connect Endpoint DAT_MODEL_NOT_SUPPORTED"

// TestRefusedQualities draws lines with each quality of service but the best effort.
// Connecting is refused, as by the reference implementation, and the server continues with the next.
func TestRefusedQualities(t *testing.T) {
	h := newHost(t)
	d := draw{rand.New(rand.NewPCG(seed(t), 11))}
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			server := h.startFor(t, always, "dapltest", "-T", "S", "-D", p.name)
			if !server.ready(serverReady, 0) {
				t.Fatalf("the server is not ready: %v\n%s", server.wait(), tail(server.out.from(0)))
			}
			for _, quality := range []string{"HT", "LL", "EC", "PM"} {
				line := "-R " + quality + " " + strings.ReplaceAll(d.transaction(), "-R BE ", "")
				c := h.start(t, "dapltest", append([]string{"-T", "T", "-s", p.address, "-D", p.name}, strings.Fields(line)...)...)
				c.wait()
				if out := c.out.from(0); !strings.Contains(out, refusal) || !strings.Contains(out, clientEnd) {
					t.Errorf("%s: %v: not refused\n%s", c.line, c.err, tail(out))
				}
			}
			if !server.running() {
				t.Errorf("the server ended: %v\n%s", server.wait(), tail(server.out.from(0)))
			}
			from := server.out.len()
			c := h.start(t, "dapltest", "-T", "T", "-s", p.address, "-D", p.name, "-i", "10", "-R", "BE", "client", "SR", "256", "1", "server", "SR", "256", "1")
			c.wait()
			if c.err == nil && !server.ready(transactEnd, from) {
				t.Error("the server ended")
			}
			judged(t, c, server.out.from(from), clientEnd)
		})
	}
}
