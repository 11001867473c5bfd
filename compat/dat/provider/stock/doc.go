// Package stock has nothing but tests: they run the programs that Debian ships for
// uDAPL, as they are, on the library, and compare its layouts with Debian's headers.
// The packages are libdapl2, dapl2-utils and libdapl-dev. Where something is missing
// the tests say so and are skipped.
//
// A test writes a dat.conf of its own into a temporary folder. An environment variable
// adds a line to it, for a path that needs more than this machine has by default:
//
//	GODAPL_STOCK_PATH="rxe0 192.0.2.1" go test ./stock
//
// Others say how many lines TestDrawn draws of each kind and path, and which:
//
//	GODAPL_STOCK_LINES=30 GODAPL_SEED=17 go test -run Drawn ./stock
//
// How a run is judged is in judge_test.go: the programs' exit codes tell little.
package stock
