// Package halfopen bounds the accepted streams of an adapter that have not been reported to the program, and
// chooses which of them is closed for another one.
//
// A line of code in this package may close a stream. It reads and writes none, and does not know which path it is of.
package halfopen
