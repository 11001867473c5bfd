// Package capturetest reads captures back in tests: it checks each packet by
// itself, with the library's decoder and checksums, and puts together what the
// packets of a connection carry, as somebody who knows sequence numbers only.
package capturetest
