package verbs_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/verbs"
)

// TestSuite runs the contract's suite on every RDMA device of this machine, or
// on those named in RDMA_DEVICES.
func TestSuite(t *testing.T) {
	for _, name := range devices(t) {
		t.Run(name, func(t *testing.T) { hcatest.Run(t, harness(t, name)) })
	}
}

func devices(t *testing.T) []string {
	if names := os.Getenv("RDMA_DEVICES"); names != "" {
		return strings.Fields(names)
	}
	names := verbs.Driver().Names()
	if len(names) == 0 {
		t.Skip("no RDMA device on this machine: /sys/class/infiniband is empty or not there")
	}
	return names
}

// olderKernel compares the kernel's version, 6.1.0-37-amd64 for example.
func olderKernel(major, minor int) bool {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	var x, y int
	n, _ := fmt.Sscanf(string(release), "%d.%d", &x, &y)
	return n == 2 && (x < major || x == major && y < minor)
}

func harness(t *testing.T, name string) hcatest.Harness {
	h := hcatest.Harness{
		Name: name,
		Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
			a, err := verbs.Driver().Open(context.Background(), name, opt)
			if err != nil {
				t.Fatalf("open %s: %v", name, err)
			}
			return hcatest.PlainPosts(a, 2)
		},
		LocalReadAlways: true,
		LateCompletions: true,
		NoReceiveWait:   strings.HasPrefix(name, "siw"),
		LooseStatus:     true,
		LooseRefusal:    strings.HasPrefix(name, "siw"),
		FlushedRefusals: strings.HasPrefix(name, "siw"),
		LooseRevocation: strings.HasPrefix(name, "siw"),
		UnorderedBytes:  true,
		LooseReads:      strings.HasPrefix(name, "siw"),
		LooseWindows:    strings.HasPrefix(name, "rxe"),

		LooseInvalidation:   strings.HasPrefix(name, "siw"),
		LosesSharedReceives: strings.HasPrefix(name, "rxe"),
		StallingBinds:       strings.HasPrefix(name, "rxe") && olderKernel(6, 12),
		EndlessReads:        strings.HasPrefix(name, "rxe") && olderKernel(6, 12),
		NoAdoption:          true,
		NoListenWait:        true,
		Patience:            20 * time.Second,
	}
	a, err := verbs.Driver().Open(t.Context(), name, hca.Options{})
	if err != nil {
		t.Fatalf("open %s: %v", name, err)
	}
	defer a.Close()
	if ip, err := netip.ParseAddr(a.Attr().Address); err == nil && ip.Is4() {
		b := ip.As4()
		b[3] = 177 // of the same network, and nobody's
		h.UnreachableAddress = net.JoinHostPort(netip.AddrFrom4(b).String(), "7471")
	}
	t.Logf("%s: %+v", name, *a.Attr())
	return h
}
