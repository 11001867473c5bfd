// Package progress is what an adapter has running on goroutines of its own: the engine,
// the poller, the watch, and the timers of waits.
//
// The engine has a few workers that do what posters and pollers have left. The poller
// watches sockets and events with a kernel queue (epoll) of its own. The watch looks once a
// millisecond at connections that a consumer polls, and notices when the polling has
// stopped. Background holds these and the goroutines whose end the adapter waits for.
//
// A line of code in here may touch run queues, descriptors and timers. It knows
// connections only through Runner, Handler and Pollable, and consumers only as Consumer; it
// sees no queue pair and no data. Of the software adapter it may import package gate alone.
package progress
