// Package neterr tells what errors of the network mean: those of sockets, and those of a program's own fabric. It
// gives each its code, and says what a user can do about it.
//
//   - dial.go: no stream could be opened
//   - listen.go: no port could be opened
package neterr
