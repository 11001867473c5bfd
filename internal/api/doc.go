// Package api lists what the packages for users export, one line for each name, and keeps the
// list in v0.txt. A test compares the two: what was exported once does not disappear by
// accident.
//
//	go test ./internal/api -update
//
// writes the list anew. Do that before a release, and when a change of the interface is on
// purpose; CHANGELOG.md says what to do for programs that used it.
package api
