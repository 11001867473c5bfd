// Package hca is the contract between the native API and the adapters.
//
// It is shaped like verbs, since that is what hardware offers: an [Adapter]
// has protection domains ([PD]), completion queues ([CQ]), queue pairs ([QP]),
// shared receive queues ([SRQ]), registered memory ([MR]), memory windows
// ([MW]) and a connection manager ([Adapter.Listen], [QP.Connect],
// [ConnRequest]). It promises more than verbs in three places, where every adapter
// can keep the promise and it saves the layers above bookkeeping of their own:
//
//   - a completion carries the operation, the length, the poster's flags and
//     the owner of its queue pair, so that the layers above need no lookup;
//   - a post that asks for no entry on success ([Suppress]) never blocks the
//     queue: the adapter recycles its slots itself;
//   - the queue pair reports its own end: all flushed entries are in the
//     completion queues before [EventDisconnected] or [EventBroken] is
//     delivered.
//
// # Callbacks
//
// Adapters call back in three places: [CQConfig.Notify], [QPConfig.Event] and
// [Options.Async] (and a listener's OnRequest). A callback is called with no
// lock of the adapter held, may be called on any goroutine, including one that
// is inside a post, and must not block. It may call back into the adapter.
//
// # Concurrency
//
// Everything may be called from several goroutines at once, with one
// exception: [CQ.Poll] has one caller at a time.
//
// # Completions
//
// Every work request that was accepted completes exactly once: with success,
// with an error, or flushed. Suppressed successes are the only ones that leave
// no entry. Entries of one queue pair's send side appear in posting order, and
// so do those of its receive side.
//
// What a successful completion proves depends on the connection: see
// [ConnInfo.Acked].
//
// # Memory that a peer writes
//
// The last byte of a Write is stored after all others. C programs rely on that: they
// poll the last byte, without any completion, and then read the rest. Devices behave as
// they are built; Linux's rxe and siw do not keep this order. In Go, reading such memory
// before a completion is a data race.
//
// The package hcatest holds the conformance suite that every adapter runs.
package hca
