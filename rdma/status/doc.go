// Package status has the results of calls and posted operations. Packages rdma, rdma/event and
// rdma/mem share its types under their own names: rdma.Error is [Error], rdma.ErrTimeout is
// [ErrTimeout]. A program that imports one of them needs this package for its documentation, and
// for what has no other name: [LatencyBound] and [LatencyRanges], to read the buckets of a
// [Latency].
//
//   - [Error] is the type of every error of the module: the call, the object, a
//     [Code], and a detail that says what to do.
//   - [Code] is the kind of an error. Codes are errors themselves, for errors.Is.
//   - [Status] says how a posted operation ended.
//   - [Op] says which operation a completion is about.
//   - [Latency] is a histogram of times.
//
// All types are plain values. They may be used concurrently as long as nobody
// changes them.
package status
