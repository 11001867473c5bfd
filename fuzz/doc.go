// Package fuzz holds the fuzz targets of the parsers, with their seeds in
// testdata/fuzz. It consists of tests only, so that importing a parser does not import
// them. README.md says how to run them.
package fuzz
