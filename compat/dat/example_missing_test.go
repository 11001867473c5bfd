package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// Calls of 2.0 that no adapter here supports: they say so.

func missing(ret dat.Return) { fmt.Println(ret.Type() == dat.NotImplemented) }

func ExampleIBAddrHandle() {
	var ah dat.IBAddrHandle
	missing(dat.IBPostSendUD(dat.HandleNull, 0, nil, &ah, dat.DTOCookie{}, dat.CompletionDefaultFlag))
	missing(dat.IBUDAHFree(dat.HandleNull, &ah))
	missing(dat.IBUDCMFree(dat.HandleNull, dat.Context{}))
	// Output:
	// true
	// true
	// true
}

func ExampleIBIACounterType() {
	missing(dat.IBStartCounter(dat.HandleNull, dat.IBIACounterType(0)))
	missing(dat.IBStopCounter(dat.HandleNull, dat.IBIACounterType(0)))
	// Output:
	// true
	// true
}

func ExampleIBIACounter() {
	var counter dat.IBIACounter
	var value [1]uint64
	missing(dat.IBQueryCounters(dat.HandleNull, int(counter), value[:], 0))
	missing(dat.IBPrintCounters(dat.HandleNull, int(counter), 0))
	// Output:
	// true
	// true
}

func ExampleIBEPCounter() {
	var counter dat.IBEPCounter
	missing(dat.IBQueryCounters(dat.HandleNull, int(counter), nil, 0))
	// Output: true
}

func ExampleIBEVDCounter() {
	var counter dat.IBEVDCounter
	missing(dat.IBQueryCounters(dat.HandleNull, int(counter), nil, 0))
	// Output: true
}

func ExampleIBCollectiveDataType() {
	var kind dat.IBCollectiveDataType
	var op dat.IBCollectiveReduceDataOp
	var group dat.IBCollectiveHandle
	var sum [8]byte
	missing(dat.IBCollectiveAllreduce(group, sum[:], 8, sum[:], 8, op, kind, dat.Context{}, dat.CompletionDefaultFlag))
	// Output: true
}

func ExampleIBCollectiveReduceDataOp() {
	var op dat.IBCollectiveReduceDataOp
	missing(dat.IBCollectiveScan(0, nil, 0, nil, 0, op, dat.IBCollectiveTypeUint64, dat.Context{}, dat.CompletionDefaultFlag))
	// Output: true
}

func ExampleIBCollectiveGroup() {
	var address dat.IBCollectiveMember
	var size uint32
	missing(dat.IBCollectiveCreateMember(dat.HandleNull, nil, &address, &size))
	alone := dat.IBCollectiveGroup{LocalSize: 1, LocalRanks: []int{0}, ExternalSize: 1, ExternalRanks: []int{0},
		IntranodeTable: []int{0}, InternodeTable: []int{0}, IsCommWorld: 1}
	missing(dat.IBCollectiveCreateGroup([]dat.IBCollectiveMember{address}, 1, 0, 7, &alone, dat.HandleNull, dat.HandleNull, dat.Context{}))
	// Output:
	// true
	// true
}

func ExampleIBCollectiveID() {
	var id dat.IBCollectiveID
	missing(dat.IBCollectiveCreateGroup(nil, 0, 0, id, nil, dat.HandleNull, dat.HandleNull, dat.Context{}))
	// Output: true
}

func ExampleIBCollectiveHandle() {
	var group dat.IBCollectiveHandle
	missing(dat.IBCollectiveBarrier(group, dat.Context{}, dat.CompletionDefaultFlag))
	missing(dat.IBCollectiveFreeGroup(group))
	// Output:
	// true
	// true
}

func ExampleIBCollectiveRank() {
	root := dat.IBCollectiveRank(0)
	missing(dat.IBCollectiveBroadcast(0, nil, 0, root, dat.Context{}, dat.CompletionDefaultFlag))
	// Output: true
}

func ExampleIBCollectiveMember() {
	var address dat.IBCollectiveMember
	missing(dat.IBCollectiveFreeMember(dat.HandleNull, address))
	// Output: true
}

func ExampleIWSSPHandle() {
	var ssp dat.IWSSPHandle
	missing(dat.IWSSPCreate(dat.HandleNull, 3, dat.HandleNull, dat.HandleNull, nil, 0, &ssp))
	missing(dat.IWSSPFree(ssp))
	missing(dat.IWSocketConnect(dat.HandleNull, 3, dat.TimeoutInfinite, 0, nil))
	// Output:
	// true
	// true
	// true
}

func ExampleIWSSPParam() {
	var param dat.IWSSPParam
	missing(dat.IWSSPQuery(0, dat.IWSSPFieldAll, &param))
	// Output: true
}

func ExampleIWSSPParamMask() {
	missing(dat.IWSSPQuery(0, dat.IWSSPFieldSSPState, nil))
	// Output: true
}

func ExampleIWSSPState() {
	param := dat.IWSSPParam{SSPState: dat.IWSSPStateNonOperational}
	fmt.Println(param.SSPState)
	// Output: DAT_IW_SSP_STATE_NON_OPERATIONAL
}
