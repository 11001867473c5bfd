// Package capturetest reads captures back in tests: it checks each packet by itself,
// with the library's decoder and checksums, and reassembles the data of a connection
// from the sequence numbers alone.
package capturetest
