package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// What 2.0 has and no adapter here does: a program that asks learns so.

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
	missing(dat.IBCollectiveBroadcast(kind))
	// Output: true
}

func ExampleIBCollectiveReduceDataOp() {
	var op dat.IBCollectiveReduceDataOp
	missing(dat.IBCollectiveReduce(op))
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
	// Output: 1
}
