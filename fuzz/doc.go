// Package fuzz holds the fuzz targets of the parsers, with their seeds in
// testdata/fuzz. It has no code but tests, so that nobody who imports a parser
// pays for them. README.md says how to run them.
package fuzz
