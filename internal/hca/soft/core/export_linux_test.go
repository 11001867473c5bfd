package core

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// WatchedFDs is the number of an adapter's descriptors that the kernel watches.
func WatchedFDs(t testing.TB, a hca.Adapter) int {
	t.Helper()
	zone, err := a.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	defer zone.Close()
	fd := zone.(*PD).Adapter.Background.Poller.Descriptor()
	if fd < 0 {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(b), "tfd:")
}
