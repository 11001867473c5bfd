// Package lint holds the rules of this module that no compiler knows: which package may
// import which, where unsafe code may live, what every package must have. Its own tests
// run it, and so does go test ./... .
//
// A [Rule] examines a [Tree]: every source file of the module, parsed without regard to
// build tags, so that a mistake in a file for another system is found too. Each rule
// states its reason and the cure. A rule that does not fire on bad source guards
// nothing, so the tests have bad sources for each rule, and a rule without one fails
// them.
package lint
