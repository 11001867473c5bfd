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
//   - tray.c is the trays, on which completions lie ready.
//   - handle.c has the memory of handles.
//   - The Go files turn structures of C into those of package dat and back, each for
//     a group of calls.
//
// # Trays
//
// Entering Go takes some 50 ns, as long as what there is to do there. So each
// dispatcher of completions and binds alone has a tray in memory of C, with room for 16
// events in the form that C wants, and dat_evd_dequeue, and dat_evd_wait for one event,
// take what lies there without entering Go. Go lays events there
//
//   - behind a post, if a request is complete now: within the process and into memory
//     that processes share it is when the post returns. The look for that is at the
//     queue alone, and drives no progress;
//   - when somebody dequeues and there is nothing on the tray: all there are at once;
//   - behind a wait that has left more in the queue.
//
// A tray is the front of its queue, and what lies there is queued. These keep it so:
//
//   - Order. Only an empty tray is laid, so all on it is older than all behind it. Who
//     takes from the dispatcher, or changes it as a whole, holds the inbox's lock, and
//     finds the tray empty or empties it.
//   - Exactly once. The counts of a tray are one word with the number of the filling,
//     and each step, of C that takes an event and of Go that takes all back, is one
//     exchange of it. Any number of threads may take.
//   - The queue as a whole. Waiting in Go, freeing, resizing, set_unwaitable,
//     clear_unwaitable and another notification object first put what nobody has
//     taken back to the front of the queue. So thresholds and dat_evd_resize count it, a
//     notification object that comes is triggered by it, and a dat_evd_free that is
//     refused loses nothing.
//   - One waiter. While somebody waits in Go nothing is laid, and the tray is empty: so
//     others are told that somebody waits, as without trays.
//   - With a notification object nothing is laid, as what is queued triggers.
//     dat_evd_enable and dat_evd_disable mean something with one only.
//   - An unwaitable dispatcher is dequeued from its tray, and not waited for there.
//   - nmore is what is left on the tray and what was known to be behind when it was
//     laid. What has come since is not looked for; without trays it was not,
//     either, while events were queued.
//   - A dispatcher holds what fits its length besides what is on its tray, and the
//     tray has no more than that length. An endpoint's request makes room for the next
//     when it is laid on the tray, not when it is taken. So programs that take nothing
//     get through with up to 16 posts more.
//   - An event that was laid when its endpoint was still there keeps that
//     endpoint's handle, which is invalid then. dat_evd_free drops the tray with the
//     queue. In a child after fork the tray gives nothing.
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
