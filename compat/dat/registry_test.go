package dat_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// conf makes a registry file and names it.
func conf(t *testing.T, text string) {
	path := filepath.Join(t.TempDir(), "dat.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DAT_OVERRIDE", path)
}

func TestRegistryFile(t *testing.T) {
	conf(t, `
# name  version  safety  default  library  provider  instance  platform
one     u1.2  nonthreadsafe default libany.so dapl.1.2 "soft-loop 0" ""   # a comment
two	u2.0	threadsafe	default	"/a path/lib.so"	dapl.2.0	"soft-tcp"	"x \"y\" \\"
seven   u1.2  nonthreadsafe default libany.so dapl.1.2 "soft-loop"
indent  u1.2  nonthreadsafe default libany.so dapl.1.2 " soft-loop	0" ""
lib     u1.2  nonthreadsafe default libtest.so dapl.1.2 "data for init" ""
kernel  k1.2  nonthreadsafe default libany.so dapl.1.2 "soft-loop 0" ""
not     u1.2  nonthreadsafe nondefault libany.so dapl.1.2 "soft-loop 0" ""
gone    u1.2  nonthreadsafe default libany.so dapl.1.2 "mlx4_9 1" ""
short   u1.2
quote   u1.2  nonthreadsafe default libany.so dapl.1.2 "soft-loop
bad     u1    maybe default libany.so dapl.1.2 "soft-loop 0" ""
`)
	provider := &dat.Provider{DeviceName: "soft-loop"}
	var asked []string
	init := func(info *dat.ProviderInfo, instance string) {
		asked = append(asked, info.IAName+" "+instance)
		ok(t, dat.RegistryAddProvider(provider, info))
	}
	fini := func(info *dat.ProviderInfo) {
		var n dat.Count
		want(t, dat.RegistryListProviders(0, &n, nil), dat.InvalidParameter) // it may ask what there is
		ok(t, dat.RegistryRemoveProvider(provider, info))
	}
	ok(t, dat.RegistryAddLibrary("libtest.so", init, fini))
	want(t, dat.RegistryAddLibrary("libtest.so", init, fini), dat.ProviderAlreadyRegistered)
	for name, found := range map[string]bool{"one": true, "seven": true, "indent": true, "lib": true, "soft": true, "two": false, // 2.0 only
		"kernel": false, "not": false, "gone": false, "short": false, "quote": false, "bad": false} {
		var async dat.EVDHandle
		var ia dat.IAHandle
		ret := dat.IAOpen(name, 8, &async, &ia)
		if (ret == dat.Success) != found {
			t.Errorf("%s: %v", name, ret)
		}
		if ret == dat.Success {
			var at dat.IAAttr
			ok(t, dat.IAQuery(ia, nil, dat.IAFieldAll, &at, 0, nil))
			if at.AdapterName != name {
				t.Errorf("%s is called %s", name, at.AdapterName)
			}
			ok(t, dat.IAClose(ia, dat.CloseGracefulFlag))
		}
	}
	if len(asked) != 1 || asked[0] != "lib data for init" {
		t.Errorf("init was called with %q", asked)
	}
	var async dat.EVDHandle
	var ia dat.IAHandle
	want(t, dat.IAOpenv("two", 8, &async, &ia, 1, 2, dat.True), dat.ProviderNotFound, dat.MajorNotFound)
	want(t, dat.IAOpenv("two", 8, &async, &ia, 2, 1, dat.True), dat.ProviderNotFound, dat.MinorNotFound)
	want(t, dat.IAOpenv("two", 8, &async, &ia, 2, 0, dat.False), dat.ProviderNotFound, dat.ThreadSafetyNotFound)
	want(t, dat.IAOpenv("three", 8, &async, &ia, 2, 0, dat.False), dat.ProviderNotFound, dat.NameNotRegistered)
	ok(t, dat.IAOpenv("two", 8, &async, &ia, 2, 0, dat.True))
	ok(t, dat.IAClose(ia, dat.CloseAbruptFlag))
	async = dat.HandleNull
	ok(t, dat.IAOpenv("RO_AWARE_one", 8, &async, &ia, 1, 0, dat.False)) // a larger minor version will do
	ok(t, dat.IAClose(ia, dat.CloseAbruptFlag))
	ok(t, dat.RegistryAddLibrary("libtest.so", nil, nil))
	want(t, dat.RegistryAddLibrary("libtest.so", nil, nil), dat.InvalidParameter)
}

func TestAddAndRemoveProvider(t *testing.T) {
	p := &dat.Provider{DeviceName: usual}
	info := &dat.ProviderInfo{IAName: "mine", DaplVersionMajor: 1, DaplVersionMinor: 2}
	ok(t, dat.RegistryAddProvider(p, info))
	want(t, dat.RegistryAddProvider(p, info), dat.ProviderAlreadyRegistered)
	a, _ := open(t, "mine")
	want(t, dat.RegistryRemoveProvider(p, info), dat.ProviderInUse)
	ok(t, dat.IAClose(a, dat.CloseAbruptFlag))
	ok(t, dat.RegistryRemoveProvider(p, info))
	var async dat.EVDHandle
	want(t, dat.IAOpen("mine", 8, &async, &a), dat.ProviderNotFound)
	var r dat.HARelationship
	ok(t, dat.RegistryProvidersRelated("soft", "soft-tcp", &r))
	if r != dat.HAUnknown {
		t.Fatal(r)
	}
}

func TestAsyncDispatcherOfOpen(t *testing.T) {
	// Another open has the errors.
	first, async := open(t, usual)
	exists := dat.EVDAsyncExists
	var second, third dat.IAHandle
	ok(t, dat.IAOpen(usual, 0, &exists, &second))
	defer dat.IAClose(second, dat.CloseAbruptFlag)
	var have dat.EVDHandle
	ok(t, dat.IAQuery(second, &have, 0, nil, 0, nil))
	if have != dat.EVDOutOfScope || exists != dat.EVDAsyncExists {
		t.Fatalf("%#x, %#x", have, exists)
	}
	small := evd(t, second, 1, dat.EVDCRFlag|dat.EVDAsyncFlag)
	// A dispatcher of the program, which outlives the adapter that uses it.
	mine := evd(t, first, 8, dat.EVDAsyncFlag)
	given := mine
	ok(t, dat.IAOpen(usual, 0, &given, &third))
	ok(t, dat.IAQuery(third, &have, 0, nil, 0, nil))
	if have != mine {
		t.Fatalf("%#x, want %#x", have, mine)
	}
	want(t, dat.EVDFree(mine), dat.InvalidState, dat.InvalidStateEVDInUse)
	ok(t, dat.IAClose(third, dat.CloseGracefulFlag))
	ok(t, dat.EVDEnable(mine))
	ok(t, dat.EVDFree(mine))
	ok(t, dat.EVDFree(small))
	want(t, dat.EVDFree(async), dat.InvalidState, dat.InvalidStateEVDInUse)
}

func TestQueryAdapter(t *testing.T) {
	ia, async := open(t, "soft-tcp")
	var have dat.EVDHandle
	var at dat.IAAttr
	var p dat.ProviderAttr
	ok(t, dat.IAQuery(ia, &have, dat.IAFieldAll, &at, dat.ProviderFieldAll, &p))
	if have != async || at.AdapterName != "soft-tcp" || at.VendorName == "" || at.IAAddressPtr == nil || at.MaxEPS < 1024 ||
		at.MaxEVDQlen < 1024 || at.MaxIOVSegmentsPerDTO < 4 || at.MaxMessageSize < 1<<20 || at.NumTransportAttr != 5 ||
		at.ExtensionSupported != dat.ExtensionIB {
		t.Errorf("%+v", at)
	}
	if p.MaxPrivateDataSize < 64 || !p.IsThreadSafe || p.LMRMemTypesSupported != 3 || p.IOVOwnershipOnReturn != dat.IOVConsumer ||
		p.CompletionFlagsSupported != 0x0F || p.EPCreator != dat.PSPCreatesEPIfasked || p.SRQWatermarksSupported != 0x111 ||
		p.DaplVersionMajor != 1 || p.DaplVersionMinor != 2 || 256%p.OptimalBufferAlignment != 0 {
		t.Errorf("%+v", p)
	}
	for i := range 6 {
		for j := range 6 {
			if !p.EVDStreamMergingSupported[i][j] {
				t.Errorf("streams %d and %d do not share a dispatcher", i, j)
			}
		}
	}
}
