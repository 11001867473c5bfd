// libdaplgo.so is a provider for the uDAPL registry of C, libdat2: programs that were
// compiled for uDAPL 2.0 run on it unchanged, on machines with or without RDMA
// hardware. docs/provider.md says how to use it.
//
//	go build -buildmode=c-shared -o libdaplgo.so .
//
// It is a module of its own, as it needs cgo and the rest must not.
//
// # What is where
//
// All that calls mean is in package dat. Here is what is between it and C:
//
//   - abi.h has the layouts, and no code. A test compares it with the headers of
//     libdat2.
//   - registry.c is found by the registry, and gives it a table for each record.
//   - table.c is the functions in that table. They turn handles into the numbers of
//     package dat and unions into integers, and call Go. That a dispatcher is
//     empty they know by themselves.
//   - handle.c has the memory of handles.
//   - The Go files turn structures of C into those of package dat and back, each for
//     a group of calls.
//
// # Rules
//
// Nothing that C keeps is memory of Go. What a call hands out (addresses, private
// data, names) is in memory of C that goes with the handle. What C hands in is copied
// before the call returns, but for registered memory: that is C's, and package
// mem is given it as a slice.
//
// Nothing is written to the standard output: it belongs to the program.
package main

func main() {} // a library has none, but cgo wants it
