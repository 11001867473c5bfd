// Package lint holds the rules of this module that no compiler knows: which
// package may import which, where unsafe code may live, what every package
// must bring along. It is run by its own tests, so by go test ./... .
//
// A [Rule] looks at a [Tree], which is every source file of the module parsed
// without regard to build tags: a mistake in a file for another system is found
// too. Each rule says why it is there and what to do instead. A rule that does
// not fire on bad source guards nothing, so each has bad sources in the tests,
// and a rule without one fails them.
package lint
