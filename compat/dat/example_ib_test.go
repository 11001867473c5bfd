package dat_test

import (
	"encoding/binary"
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleIBExtensionEventData() {
	server, client, done := examplePair()
	defer done()
	into := [1]dat.LMRTriplet{server.segment(64, 64)}
	dat.EPPostRecv(server.ep, 1, into[:], dat.DTOCookie{}, dat.CompletionDefaultFlag)
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	ret := dat.IBPostRDMAWriteImmed(client.ep, 1, iov[:], dat.DTOCookie{}, &rmr, 77, dat.CompletionDefaultFlag)
	event := server.next()
	ext := event.EventExtensionData
	fmt.Println(ret == dat.Success, event.EventNumber == dat.IBDTOEvent, ext.ImmedData)
	// Output: true true 77
}

// exampleAtomics shares words with a peer that allows atomics on them.
func exampleAtomics() (word []byte, at dat.RMRTriplet, client *exampleSide, done func()) {
	server, client, done := examplePair()
	word = make([]byte, 8)
	var lmr dat.LMRHandle
	at = dat.RMRTriplet{TargetAddress: dat.VaddrOf(word), SegmentLength: 8}
	dat.LMRCreate(server.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: word}, 8, server.pz, dat.IBMemPrivRemoteAtomic, &lmr, nil, &at.RMRContext, nil, nil)
	return word, at, client, done
}

func ExampleIBExtType() {
	word, at, client, done := exampleAtomics()
	defer done()
	former := client.segment(0, 8)
	ret := dat.IBPostFetchAndAdd(client.ep, 5, &former, dat.DTOCookie{}, &at, dat.CompletionDefaultFlag)
	ext := client.next().EventExtensionData
	fmt.Println(ret == dat.Success, ext.Type == dat.IBFetchAndAdd, binary.NativeEndian.Uint64(word))
	// Output: true true 5
}

func ExampleIBStatus() {
	word, at, client, done := exampleAtomics()
	defer done()
	former := client.segment(0, 8)
	ret := dat.IBPostCmpAndSwap(client.ep, 0, 9, &former, dat.DTOCookie{}, &at, dat.CompletionDefaultFlag)
	ext := client.next().EventExtensionData
	fmt.Println(ret == dat.Success, ext.Status == dat.OpSuccess, binary.NativeEndian.Uint64(word))
	// Output: true true 9
}

func ExampleExtendedOp() {
	word, at, client, done := exampleAtomics()
	defer done()
	former := client.segment(0, 8)
	// In C all extensions go through this call; here each has a function, too.
	ret := dat.ExtensionOp(client.ep, dat.IBFetchAndAddOp, 5, &former, dat.DTOCookie{}, &at, dat.CompletionDefaultFlag)
	ext := client.next().EventExtensionData
	fmt.Println(ret == dat.Success, ext.Type == dat.IBFetchAndAdd, binary.NativeEndian.Uint64(word))
	// Output: true true 5
}

func ExampleIBOpenQuery() {
	var ia dat.IAHandle
	var attr dat.IAAttr
	ret := dat.IBOpenQuery("soft-loop", &ia, dat.IAFieldAll, &attr, dat.ProviderFieldNone, nil)
	fmt.Println(ret == dat.Success, attr.AdapterName)
	ret = dat.IBCloseQuery(ia)
	fmt.Println(ret == dat.Success)
	// Output:
	// true soft-loop
	// true
}
