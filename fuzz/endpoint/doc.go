// Package endpoint holds the fuzz targets in which the input is the peer of a
// live endpoint of the software adapter, and their seeds. It has no code but
// tests, and is apart from the targets of the parsers, so that those build
// without the adapter. ../README.md says how to run them.
package endpoint
