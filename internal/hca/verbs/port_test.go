package verbs_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
)

// TestPortEvents takes the network interface of a device down and up again. It
// runs in a machine that is there for such things only.
func TestPortEvents(t *testing.T) {
	link := map[string]string{"rxe0": "erxe", "siw0": "esiw"}
	for _, name := range devices(t) {
		if os.Getenv("RDMA_VM") != "1" || link[name] == "" {
			t.Skip("this takes a network interface down: only in the virtual machine of the checks")
		}
		t.Run(name, func(t *testing.T) {
			events := make(chan hca.AsyncEvent, 16)
			a, err := verbs.Driver().Open(t.Context(), name, hca.Options{Async: func(ev hca.AsyncEvent) { events <- ev }})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			for _, step := range []struct {
				state string
				want  hca.AsyncKind
			}{{"down", hca.AsyncPortDown}, {"up", hca.AsyncPortUp}} {
				if out, err := exec.Command("ip", "link", "set", link[name], step.state).CombinedOutput(); err != nil {
					t.Skipf("ip link set: %v: %s", err, out)
				}
				select {
				case ev := <-events:
					if ev.Kind != step.want || (ev.Err == nil) != (step.want == hca.AsyncPortUp) {
						t.Errorf("%s: event %d (%v), want %d", step.state, ev.Kind, ev.Err, step.want)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("%s: no event", step.state)
				}
			}
		})
	}
}
