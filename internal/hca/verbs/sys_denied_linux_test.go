package verbs

import (
	"net/netip"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
)

// TestRouteDenied: where a filter denies getsockname, package net gives no address. It is as if there were no way.
func TestRouteDenied(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with this goroutine
		if err := seccomptest.DenyThread(seccomptest.Call{Number: unix.SYS_GETSOCKNAME}); err != nil {
			t.Logf("skipped: %v", err)
			return
		}
		if from := route(netip.MustParseAddr("127.0.0.1")); from.IsValid() {
			t.Errorf("the way is from %v", from)
		}
	}()
	<-done
}
