// Package progress runs an adapter's own goroutines: the engine, the poller, the poll watch,
// and the timers of waits.
//
//	all of them        background.go stats.go
//	the engine         engine.go
//	the poller         sys_epoll_linux.go poller_other.go
//	a consumer leads   sys_lead_linux.go leader.go
//	input of a socket  sys_pending_linux.go pending_other.go
//	the poll watch     pollwatch.go
//	posts kept back    keptback.go
//	waits              waittimer.go waitcount.go idletimer.go
//	for tests          fortests.go fortests_linux.go
//
// The engine has a few workers that do what posters and pollers have left. The poller
// watches sockets and events with a kernel queue (epoll) of its own; a consumer of many connections may
// take its place and read what arrives (Lead). The watch checks, once a
// millisecond, the connections that a consumer polls, and notices when the polling has
// stopped. Background holds these, and the goroutines for which the adapter's end waits.
//
// A line of code in this package may touch run queues, descriptors and timers. It knows
// connections only through Runner, Handler and Pollable, and consumers only as Consumer; it
// sees no queue pair and no data. Of the software adapter it may import package gate alone.
package progress
