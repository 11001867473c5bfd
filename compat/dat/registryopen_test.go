package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestRemovingAProviderBesideAnOpen: either the provider is removed and the open does not find it, or the
// adapter is open and the provider in use.
func TestRemovingAProviderBesideAnOpen(t *testing.T) {
	provider := &dat.Provider{DeviceName: "soft-loop"}
	info := &dat.ProviderInfo{IAName: "removed", DaplVersionMajor: 1, DaplVersionMinor: 2}
	open, removed := 0, 0
	for range 300 {
		ok(t, dat.RegistryAddProvider(provider, info))
		var async dat.EVDHandle
		var ia dat.IAHandle
		begun, ended := make(chan struct{}), make(chan dat.Return)
		go func() { close(begun); ended <- dat.IAOpen("removed", 8, &async, &ia) }()
		<-begun
		ret := dat.RegistryRemoveProvider(provider, info)
		switch opened := <-ended; {
		case opened == dat.Success && ret == dat.Success:
			t.Fatal("the provider was removed although an adapter of it is open")
		case opened == dat.Success:
			want(t, ret, dat.ProviderInUse)
			ok(t, dat.IAClose(ia, dat.CloseAbruptFlag))
			ok(t, dat.RegistryRemoveProvider(provider, info))
			open++
		default:
			want(t, opened, dat.ProviderNotFound)
			ok(t, ret)
			removed++
		}
	}
	t.Logf("%d opens were first, %d removals", open, removed)
}
