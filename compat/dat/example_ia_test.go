package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleIAHandle() {
	var ia dat.IAHandle
	async := dat.EVDHandle(dat.HandleNull)
	ret := dat.IAOpenv("soft-loop", 8, &async, &ia, 1, 2, dat.True)
	fmt.Println(ret == dat.Success, async != dat.HandleNull)
	ret = dat.IAClose(ia, dat.CloseAbruptFlag)
	fmt.Println(ret == dat.Success)
	// Output:
	// true true
	// true
}

func ExampleCloseFlags() {
	s := newExampleSide()
	ret := dat.IAClose(s.ia, dat.CloseGracefulFlag)
	fmt.Println(ret.Type() == dat.InvalidState) // it has objects still
	ret = dat.IAClose(s.ia, dat.CloseAbruptFlag)
	fmt.Println(ret == dat.Success)
	// Output:
	// true
	// true
}

func ExampleIAAttrMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var attr dat.IAAttr
	ret := dat.IAQuery(s.ia, nil, dat.IAFieldIAMaxDTOPerEP|dat.IAFieldIAMaxPZS, &attr, dat.ProviderFieldNone, nil)
	fmt.Println(ret == dat.Success, attr.MaxDTOPerEP > 0, attr.MaxPZS > 0)
	// Output: true true true
}

func ExampleProviderAttrMask() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var async dat.EVDHandle
	var provider dat.ProviderAttr
	ret := dat.IAQuery(s.ia, &async, dat.IAFieldNone, nil, dat.ProviderFieldMaxPrivateDataSize, &provider)
	fmt.Println(ret == dat.Success, async == s.async, provider.MaxPrivateDataSize)
	// Output: true true 236
}

// providerOf asks an adapter all there is to know of its provider.
func providerOf(ia dat.IAHandle) (provider dat.ProviderAttr) {
	dat.IAQuery(ia, nil, 0, nil, dat.ProviderFieldAll, &provider)
	return provider
}

func ExampleProviderAttr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	provider := providerOf(s.ia)
	fmt.Println(provider.DaplVersionMajor, provider.DaplVersionMinor, provider.IsThreadSafe, provider.SRQSupported)
	// Output: 1 2 true true
}

func ExampleIOVOwnership() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	// A list of segments is the program's again when the post has returned.
	fmt.Println(providerOf(s.ia).IOVOwnershipOnReturn == dat.IOVConsumer)
	// Output: true
}

func ExampleEPCreatorForPSP() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	// With DAT_PSP_PROVIDER_FLAG a request brings an endpoint.
	fmt.Println(providerOf(s.ia).EPCreator == dat.PSPCreatesEPIfasked)
	// Output: true
}

func ExamplePZSupport() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	fmt.Println(providerOf(s.ia).PZSupport == dat.PZUnique)
	// Output: true
}

func ExampleHALB() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	fmt.Println(providerOf(s.ia).HASupported, providerOf(s.ia).HALoadbalancing == dat.HALBNone)
	// Output: false true
}

func ExampleExtension() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var attr dat.IAAttr
	dat.IAQuery(s.ia, nil, dat.IAFieldAll, &attr, 0, nil)
	fmt.Println(attr.ExtensionSupported == dat.ExtensionIB, attr.ExtensionVersion == dat.IBExtensionVersion)
	// Output: true true
}

func ExampleNamedAttr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var attr dat.IAAttr
	dat.IAQuery(s.ia, nil, dat.IAFieldAll, &attr, 0, nil)
	for _, a := range attr.TransportAttr[:attr.NumTransportAttr] {
		if a.Name == dat.IBAttrFetchAndAdd {
			fmt.Println(a.Name, a.Value)
		}
	}
	// Output: DAT_IB_FETCH_AND_ADD TRUE
}

func ExampleIAAddressPtr() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var attr dat.IAAttr
	dat.IAQuery(s.ia, nil, dat.IAFieldIAAddressPtr, &attr, 0, nil)
	var address dat.IAAddressPtr = attr.IAAddressPtr
	fmt.Println(address.Network(), address) // of a device: ip, and its IP address
	// Output: rdma loop
}

func ExampleAnyHandle() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	kind := func(h dat.Handle) dat.HandleType {
		var kind dat.HandleType
		dat.GetHandleType(h, &kind)
		return kind
	}
	fmt.Println(kind(dat.Handle(s.ep)) == dat.HandleTypeEP, kind(dat.Handle(s.evd)) == dat.HandleTypeEVD)
	// Handles of all kinds may be given as they are.
	ret := dat.SetConsumerContext(s.evd, dat.Context{As64: 7})
	fmt.Println(ret == dat.Success)
	// Output:
	// true true
	// true
}

func ExampleHandleType() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var kind dat.HandleType
	ret := dat.GetHandleType(s.lmr, &kind)
	fmt.Println(ret == dat.Success, kind == dat.HandleTypeLMR)
	// Output: true true
}

func ExamplePvoid() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	type client struct{ name string }
	var p dat.Pvoid = &client{"first"}
	ret := dat.SetConsumerContext(s.ep, dat.Context{AsPtr: p})
	var context dat.Context
	ret = dat.GetConsumerContext(s.ep, &context)
	fmt.Println(ret == dat.Success, context.AsPtr.(*client).name)
	// Output: true first
}

func ExampleBoolean() {
	var safe dat.Boolean = dat.True
	fmt.Println(safe, dat.False)
	// Output: true false
}
