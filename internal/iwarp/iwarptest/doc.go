// Package iwarptest holds iWARP data with its meaning: frames, FPDUs and streams that
// every implementation must read and write alike, and malformed ones with the required
// reaction. The tests of the codecs and of the adapter that uses them share it, and the
// seeds of the fuzz targets.
//
// The data was not made by package iwarp, and a protocol analyser dissects the
// well-formed part as described here. Each call makes new values, which the caller may
// change.
package iwarptest
