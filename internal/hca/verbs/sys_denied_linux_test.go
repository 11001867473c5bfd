package verbs

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
)

// TestRouteDenied: where a filter denies getsockname, package net gives no address. It is as if there were no way.
func TestRouteDenied(t *testing.T) {
	seccomptest.Without(t, unix.SYS_GETSOCKNAME, func() {
		if from := route(netip.MustParseAddr("127.0.0.1")); from.IsValid() {
			t.Errorf("the way is from %v", from)
		}
	})
}
