// Package event hands events from those who make them to those who wait for
// them.
//
// A [Dispatcher] (uDAPL: EVD) is a bounded queue of events of one type. It
// hands each event out once, in order, whichever face asks:
//
//   - [Dispatcher.Poll] and [Dispatcher.Dequeue] never block;
//   - [Dispatcher.Wait] blocks until a number of events, the threshold, is
//     there; [Dispatcher.WaitBatch] and [Dispatcher.Drain] block for whatever
//     comes, many at a time;
//   - [Dispatcher.C] is a channel of events, and [Dispatcher.Batches] a channel
//     of batches, for throughput; [BatchConfig] has a threshold and a time for them.
//
// Where one of them gives nothing, [Dispatcher.Err] says why.
//
// One goroutine at a time may wait. While it does, every other face is refused
// with [ErrState], and so it is while a channel runs: the channel is the one
// waiter. [Dispatcher.StopChan] ends it; what it held is then first in the
// queue again.
//
// A [Set] (uDAPL: CNO) waits for many dispatchers of different types. What it
// costs depends on how many are ready, not on how many there are. With
// [Set.WaitThreshold] it waits for a number of events in all of them together.
//
// # Events and wake-ups
//
// An event may be quiet (uDAPL: unsignalled): it is queued and counted, but
// its arrival wakes nobody and triggers no set. Any other arrival makes the
// waiter count again, quiet events included.
//
// Events come in by [Dispatcher.Post], the caller's own (uDAPL: software
// event); by [Provider.Put], a provider's, whose loss is reported through
// [Config.Overflow]; or from a [Source] such as a completion queue, which the
// dispatcher empties when somebody asks for events.
//
// # Ownership and closing
//
// Events are copied in and out; the dispatcher keeps no reference to one that
// it has handed out. Close drops what is queued, ends every wait with
// [ErrClosed] and closes the channels. A context that ends a wait takes
// nothing from the queue.
//
// # Concurrency
//
// Everything may be called from any number of goroutines. No call but those
// that say so blocks for longer than a lock is held, and no lock is held while
// foreign code runs, but for the drain lock: see [Source].
package event
