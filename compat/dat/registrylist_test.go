package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestARegistryEntryIsListedOnce: a name may have several lines in the file, of which the later ones are for the case that
// the earlier do not load, and a library that was loaded has added its provider.
func TestARegistryEntryIsListedOnce(t *testing.T) {
	conf(t, `
twice u1.2 nonthreadsafe default libnone.so x.1.0 "soft-loop" ""
twice u1.2 nonthreadsafe default libnone.so x.1.0 "soft-tcp" ""
twice u1.2 threadsafe    default libnone.so x.1.0 "soft-loop" ""
added u1.2 nonthreadsafe default libonce.so x.1.0 "" ""
`)
	provider := &dat.Provider{DeviceName: "soft-loop"}
	ok(t, dat.RegistryAddLibrary("libonce.so",
		func(info *dat.ProviderInfo, _ string) { ok(t, dat.RegistryAddProvider(provider, info)) },
		func(info *dat.ProviderInfo) { ok(t, dat.RegistryRemoveProvider(provider, info)) }))
	defer dat.RegistryAddLibrary("libonce.so", nil, nil) // behind the close
	var async dat.EVDHandle
	var ia dat.IAHandle
	ok(t, dat.IAOpen("added", 8, &async, &ia))
	defer dat.IAClose(ia, dat.CloseAbruptFlag)
	var n dat.Count
	want(t, dat.RegistryListProviders(0, &n, nil), dat.InvalidParameter)
	list := make([]*dat.ProviderInfo, n)
	for i := range list {
		list[i] = new(dat.ProviderInfo)
	}
	ok(t, dat.RegistryListProviders(n, &n, list))
	times := map[dat.ProviderInfo]int{}
	for _, info := range list {
		times[*info]++
	}
	for info, k := range times {
		if k != 1 {
			t.Errorf("%+v is listed %d times", info, k)
		}
	}
	for _, info := range []dat.ProviderInfo{{IAName: "twice"}, {IAName: "twice", IsThreadSafe: dat.True}, {IAName: "added"}} {
		info.DaplVersionMajor, info.DaplVersionMinor = 1, 2
		if times[info] == 0 {
			t.Errorf("%+v is not listed", info)
		}
	}
}
