// Package event passes events from producers to consumers that poll, wait or receive from a
// channel.
//
// A [Dispatcher] (uDAPL: EVD) is a bounded queue of events of one type. It delivers each event
// once, in order, through any of these calls:
//
//   - [Dispatcher.Poll] and [Dispatcher.Dequeue] never block;
//   - [Dispatcher.Wait] blocks until a number of events, the threshold, is
//     there; [Dispatcher.WaitBatch] and [Dispatcher.Drain] block for whatever
//     comes, many at a time;
//   - [Dispatcher.C] is a channel of events, and [Dispatcher.Batches] a channel
//     of batches, for throughput; [BatchConfig] has a threshold and a time for them.
//
// If a poll or a channel gives no events, [Dispatcher.Err] says why.
//
// One goroutine at a time may wait. While it waits, all other calls that take events are
// refused with [ErrState]. A running channel is the single waiter, so the same holds while a
// channel runs. [Dispatcher.StopChan] ends the channel; the events that it held return to the
// front of the queue.
//
// A [Set] (uDAPL: CNO) waits for many dispatchers of different types. The cost of a wait
// depends on how many dispatchers are ready, not on how many are in the set.
// [Set.WaitThreshold] waits for a number of events in all of them together.
//
// A Dispatcher has the methods of a consumer. What only a producer needs, or another API on top
// of dispatchers (enabling and disabling, for instance), is in [ProviderOf]. Two waits also exist
// with a time limit in place of a context, [Dispatcher.WaitTimeout] and
// [Dispatcher.WaitBatchTimeout]: a context with a deadline allocates memory for each wait.
//
// # Events and wake-ups
//
// An event may be quiet (uDAPL: unsignalled): it is queued and counted, but its arrival wakes
// no waiter and triggers no set. Any other arrival makes the waiter count the queued events
// again, quiet ones included.
//
// Events have three origins. [Dispatcher.Post] queues the program's own events (uDAPL:
// software events). [Provider.Put] queues a provider's events, whose loss is reported through
// [Config.Overflow]. A [Source], such as a completion queue, is emptied by the dispatcher when
// a consumer asks for events.
//
// # Ownership and closing
//
// Events are copied in and out. The dispatcher keeps no reference to a delivered event. Close
// drops the queued events, ends every wait with [ErrClosed] and closes the channels. A wait
// that its context ends takes nothing from the queue.
//
// # Concurrency
//
// All methods may be called concurrently. A call blocks only if its comment says so. No lock
// is held while code of the program or of a source runs, except the drain lock: see [Source].
package event
