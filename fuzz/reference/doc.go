// Package reference is a second decoder of iWARP: written from the standards, simple
// and slow, without internal/iwarp. Fuzz targets compare with it.
//
// Where a parser reports one error, this decoder reports all: the standards do not
// order their checks, so any of these reactions is right. A reaction is "close", or the
// layer, type and code of a Terminate as "1/2/0x03".
//
// Endpoint models the receiving half of a connection: given the data of a peer, it
// tells what an adapter must do.
package reference
