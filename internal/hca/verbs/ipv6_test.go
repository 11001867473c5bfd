package verbs_test

import (
	"net"
	"net/netip"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/verbs"
)

// TestIPv6 connects over a device's IPv6 address, with its zone where it is
// link-local.
func TestIPv6(t *testing.T) {
	for _, name := range devices(t) {
		t.Run(name, func(t *testing.T) {
			h := harness(t, name)
			at := addressV6(t, name)
			h.ListenAddress = func(hca.Adapter) string { return net.JoinHostPort(at, "0") }
			for _, c := range append(hcatest.Find("private data", ""), hcatest.Find("send", "")...) {
				t.Run(c.Name, func(t *testing.T) { c.Run(t, h) })
			}
		})
	}
}

// addressV6 finds an address that the device can be listened to on.
func addressV6(t *testing.T, name string) string {
	a, err := verbs.Driver().Open(t.Context(), name, hca.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ifs, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range ifs {
		addrs, _ := i.Addrs()
		for _, addr := range addrs {
			n, ok := addr.(*net.IPNet)
			if !ok || n.IP.To4() != nil || n.IP.IsLoopback() {
				continue
			}
			ip, _ := netip.AddrFromSlice(n.IP)
			if ip.IsLinkLocalUnicast() {
				ip = ip.WithZone(i.Name)
			}
			ln, err := a.Listen(t.Context(), hca.ListenConfig{
				Address: net.JoinHostPort(ip.String(), "0"), OnRequest: func(hca.ConnRequest) bool { return false },
			})
			if err == nil {
				ln.Close()
				return ip.String()
			}
		}
	}
	t.Skip("the device has no IPv6 address")
	return ""
}
