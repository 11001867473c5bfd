// Package ported has tests only. They count how much of a C program a search-and-replace carries
// over to its port in Go, and how much needs hands, as the docs tell.
package ported
