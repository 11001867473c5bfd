// libdaplgo.so is a provider for the uDAPL registry of C, libdat2: programs that were
// compiled for uDAPL 2.0 run on it unchanged, on machines with or without RDMA
// hardware. docs/provider.md says how to use it.
//
//	go build -buildmode=c-shared -o libdaplgo.so .
//
// It is a module of its own, since it needs cgo and the rest must not.
//
// # Files
//
// Package dat implements the calls. This package connects it with C:
//
//   - abi.h has the layouts, and no code. A test compares it with the headers of
//     libdat2.
//   - registry.c has the functions that the registry calls, and gives it a table for
//     each record.
//   - table.c has the functions in that table. They convert handles to the
//     numbers of package dat and unions to integers, and call Go. They report
//     an empty dispatcher without calling Go.
//   - tray.c has the trays, which hold completions for C.
//   - sleep.c has the waits of threads of C.
//   - handle.c has the memory of handles.
//   - signals.c keeps the program's signals from the threads of Go.
//   - The Go files convert structures of C to those of package dat and back,
//     each for a group of calls.
//
// # Trays
//
// Entering Go takes some 50 ns, as long as the work there. So each dispatcher that
// receives only completions and binds has a tray: C memory with room for 16 events in
// C's form. dat_evd_dequeue, and dat_evd_wait for one event, take events from the tray
// without entering Go. Go fills the tray
//
//   - after a post, if a request is already complete, as it is within the process
//     and over shared memory. This check only looks at the queue, and drives no
//     progress;
//   - when the program dequeues and the tray is empty: with all available events;
//   - after a wait that has left more events in the queue.
//
// A tray is the front of its queue, and its events count as queued. These rules ensure
// that:
//
//   - Order. Only an empty tray is filled, so its events are older than those in
//     the queue. A call in Go that takes from the dispatcher, or changes its whole
//     queue, holds the inbox's lock, and first empties the tray.
//   - Exactly once. The counts of a tray and the number of the fill are one word.
//     When C takes an event, or Go takes all of them back, it exchanges that word
//     atomically. Any number of threads may take.
//   - The queue as a whole. Waiting in Go, freeing, resizing, set_unwaitable,
//     clear_unwaitable and another notification object first put the remaining
//     events of the tray back to the front of the queue, and so do dat_srq_query
//     and dat_srq_resize. So thresholds, dat_evd_resize and shared receive queues
//     count them, they trigger a new notification object, and a refused
//     dat_evd_free loses nothing.
//   - One waiter. While a thread waits in Go the tray stays empty, so the calls of
//     other threads reach Go, which refuses a second waiter.
//   - With a notification object the tray stays empty, since queued events are
//     the trigger. dat_evd_enable and dat_evd_disable apply only then.
//   - The tray of an unwaitable dispatcher serves dat_evd_dequeue, but no waits.
//   - nmore is the number of events left on the tray plus the number known to be
//     queued when it was filled. Later events are not counted; without trays they
//     were not counted either while events were queued.
//   - A dispatcher holds its length in events besides those on its tray, and the
//     tray has at most that length. An endpoint's request makes room for the
//     next one when its event is put on the tray, not when it is taken. So a
//     program that takes no events can post up to 16 requests more.
//   - An event keeps the handle of its endpoint if the endpoint is freed while
//     the event is on the tray; the handle is invalid then. dat_evd_free drops
//     the tray with the queue. In a child process after fork the tray is empty.
//
// # Sleeping
//
// A thread that waits in Go is a goroutine that is bound to its thread: waking it takes
// several context switches. So Go only begins the wait, as package event has it: look, arm,
// look again. Then the thread sleeps in C, in poll(2). It polls an eventfd, to which Go writes
// where it would otherwise wake a goroutine. It also polls the descriptors of connections
// (sockets, doorbells of shared memory), so that an arrival usually wakes this thread and no
// other. When one of them is readable, the thread enters Go, which looks and arms again. A
// descriptor may be closed while a thread polls it, and its number reused: at worst that wakes the
// thread once for nothing, since each look makes a new list.
//
// Every few milliseconds a thread lets Go's scheduler run before a wait: see dg_pause.
//
// The eventfd belongs to the wait, not to the dispatcher, and stays open for later waits. Time
// limits are those of poll. A signal ends no wait. A thread that is cancelled in a wait is
// cancelled after it: the system calls are no cancellation points.
//
// # Rules
//
// C keeps no Go memory. The results of a call (addresses, private data, names) are in C
// memory that belongs to the handle. Arguments are copied before the call returns,
// except registered memory: it stays C's, and package mem gets it as a slice.
//
// Nothing is written to the standard output: it belongs to the program.
package main

func main() {} // cgo requires it for -buildmode=c-shared
