// Package reference reads iWARP a second time: from the standards, plainly and
// slowly, and with nothing of internal/iwarp. Fuzz targets compare with it.
//
// Where a parser says what is wrong, this says everything that is: the standards
// do not order their checks, so any of those reactions is right. A reaction is
// "close", or the layer, type and code of a Terminate as "1/2/0x03".
//
// Endpoint is the receiving half of a connection: fed with what a peer sends, it
// tells what an adapter must make of it.
package reference
