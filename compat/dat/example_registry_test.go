package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleProviderInfo() {
	var n dat.Count
	ret := dat.RegistryListProviders(0, &n, nil)
	fmt.Println(ret.Type() == dat.InvalidParameter) // and n says how many there are
	list := make([]*dat.ProviderInfo, n)
	for i := range list {
		list[i] = new(dat.ProviderInfo)
	}
	ret = dat.RegistryListProviders(n, &n, list)
	for i := range n {
		if list[i].IAName == "soft-tcp" && list[i].DaplVersionMajor == 2 && list[i].IsThreadSafe {
			fmt.Println(ret == dat.Success, list[i].IAName)
		}
	}
	// Output:
	// true
	// true soft-tcp
}

func ExampleProviderInitFunc() {
	provider := &dat.Provider{DeviceName: "soft-loop"}
	// A provider's library exports these as dat_provider_init and dat_provider_fini.
	var init dat.ProviderInitFunc = func(info *dat.ProviderInfo, instanceData string) {
		dat.RegistryAddProvider(provider, info)
	}
	var fini dat.ProviderFiniFunc = func(info *dat.ProviderInfo) { dat.RegistryRemoveProvider(provider, info) }
	// Lines of dat.conf name the library so.
	ret := dat.RegistryAddLibrary("libmine.so.1", init, fini)
	fmt.Println(ret == dat.Success)
	ret = dat.RegistryAddLibrary("libmine.so.1", nil, nil) // calls fini for each line that was loaded
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleProviderFiniFunc() {
	var fini dat.ProviderFiniFunc = func(info *dat.ProviderInfo) { fmt.Println("removed", info.IAName) }
	fini(&dat.ProviderInfo{IAName: "my-ia"}) // the registry does that
	// Output: removed my-ia
}

func ExampleNamePtr() {
	var name dat.NamePtr = "soft-loop"
	async := dat.EVDHandle(dat.HandleNull)
	var ia dat.IAHandle
	ret := dat.IAOpen(name, 8, &async, &ia)
	fmt.Println(ret == dat.Success)
	ret = dat.IAClose(ia, dat.CloseGracefulFlag)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleHARelationship() {
	var related dat.HARelationship
	ret := dat.RegistryProvidersRelated("soft-loop", "soft-tcp", &related)
	fmt.Println(ret == dat.Success, related == dat.HAUnknown)
	// Output: true true
}
