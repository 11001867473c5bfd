// Package iwarptest holds bytes of iWARP with what they mean: frames, FPDUs and
// streams that every implementation must read and write alike, and malformed
// ones with the reaction that is due. It serves the tests of the codecs, of the
// adapter that uses them, and the seeds of the fuzz targets.
//
// The bytes were not made by package iwarp, and a protocol analyser dissects the
// well-formed ones as they are described here. Each call makes new values, which the caller may change.
package iwarptest
