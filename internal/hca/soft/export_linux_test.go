package soft

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// Entrants is how many descriptors of an adapter the kernel watches.
func Entrants(t testing.TB, a hca.Adapter) int {
	t.Helper()
	p := &a.(*adapter).net.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", p.fd))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), "tfd:")
}
