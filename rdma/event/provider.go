package event

import "sync/atomic"

// Provider is the producing side of a dispatcher. (In uDAPL the provider is the library under
// the API.) It queues events, attaches sources, and has the calls that another API on top of a
// dispatcher needs, such as package compat/dat. Programs that only take events do not need it.
// A Provider is a small value. All methods may be called concurrently.
type Provider[T any] struct{ d *Dispatcher[T] }

// ProviderOf returns the producing side of a dispatcher.
func ProviderOf[T any](d *Dispatcher[T]) Provider[T] { return Provider[T]{d} }

// Put queues a provider's event, a copy of *ev, and reports whether it was queued. A quiet
// event wakes no waiter and triggers no set. If the queue is full, the event is lost: Put
// returns false, calls Config.Overflow (once, until there has been room again) and increments
// Stats.Lost. After Close it returns false and reports no loss. It never blocks and allocates
// nothing.
func (p Provider[T]) Put(ev *T, quiet bool) bool { return p.d.put(ev, quiet) }

// PutAll is Put for many events, with one lock and one wake-up. It returns the number of
// events queued; the others are lost and reported as by Put.
func (p Provider[T]) PutAll(evs []T, quiet bool) int { return p.d.putAll(evs, quiet) }

// PutAfterSources is Put for an event that must follow everything that the sources hold at the
// time of the call (DISCONNECTED follows the flushed completions). It never blocks and may be
// called from anywhere. Inside a drain, the event is queued when the drain ends.
func (p Provider[T]) PutAfterSources(ev *T, quiet bool) bool { return p.d.putAfterSources(ev, quiet) }

// PutBack returns polled events to the front of the queue, in order. It must be called before
// any other goroutine takes events. The events count as queued and as just arrived: the waiter
// counts again, and the set and the flag are updated. The queue may exceed Cap by them. After
// Close they are dropped.
//
// It never blocks. The caller keeps evs.
func (p Provider[T]) PutBack(evs []T) { p.d.putBack(evs) }

// Attach adds a source. The order within a source is kept; events of several sources
// interleave. ErrClosed after Close, ErrState if the source is attached already. Attach may
// wait for a drain in progress and must not be called from inside a drain.
func (p Provider[T]) Attach(src Source[T]) error { return p.d.attach(src) }

// Detach removes a source. Events that the source still holds move to the queue, even beyond
// Cap. When Detach returns, the dispatcher does not call the source again. ErrInvalid if the
// source is not attached. Detach may wait for a drain in progress and must not be called from
// inside a drain.
func (p Provider[T]) Detach(src Source[T]) error { return p.d.detach(src) }

// ArmSources arms all sources and returns the first error. It may wait for a drain in progress
// and must not be called from inside a drain. Waits arm the sources themselves.
func (p Provider[T]) ArmSources() error { return p.d.armSources() }

// Wake wakes the waiter or triggers the set. A source calls it once after each Arm, when an
// event that is not quiet has arrived. It is cheap, does not drain the source, and may be
// called from any goroutine.
func (p Provider[T]) Wake() { p.d.wake() }

// Backlog reports that a channel runs ([Dispatcher.C] or [Dispatcher.Batches]) and holds events
// that have left the sources, or has more to deliver, or that the program has not released a batch of
// several events. The program will then look again. Events that are too few for the threshold of
// Batches do not count. With several, it also reports that the program is at work on several events
// that a poll or a wait has given it, and has not called again. It takes no lock, never blocks and may
// be called from anywhere.
func (p Provider[T]) Backlog(several bool) bool { return p.d.backlog(several) }

// Forwards reports that a channel runs that delivers each event at once: its goroutine takes what a
// source holds, unless it has armed the source. It is as cheap as Backlog.
func (p Provider[T]) Forwards() bool { return p.d.forwards() }

// Running is set while a channel runs: a look at it is cheaper than Backlog, which reports nothing, and Forwards,
// while no channel runs and several is not set. The dispatcher writes it; nobody else may.
func (p Provider[T]) Running() *atomic.Bool { return &p.d.running }

// Pump moves events from the sources to the queue, as far as there is room, and wakes waiters.
// It returns false if another goroutine is draining the sources; that goroutine then does the
// work before it releases the drain lock. Pump never blocks and may be called from anywhere.
func (p Provider[T]) Pump() bool { return p.d.pump() }

// Short reports that the last Pump, or whoever else moved events to the queue since, found no room for all of them. The
// sources may hold more, and nobody is told when there is room again. It takes no lock, never blocks and may be called
// from anywhere.
func (p Provider[T]) Short() bool { return p.d.short.Load() }
