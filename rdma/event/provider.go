package event

// Provider is the side of a dispatcher that its provider has (uDAPL's word for the
// library under the API): what feeds it with events, and what an interface of another
// kind needs that is built on top of it, as package compat/dat is. Programs that only
// take events have no use for it. It is a small value. All methods may be called
// concurrently.
type Provider[T any] struct{ d *Dispatcher[T] }

// ProviderOf gives the provider's side of a dispatcher.
func ProviderOf[T any](d *Dispatcher[T]) Provider[T] { return Provider[T]{d} }

// Put queues a provider's event, a copy of *ev, and tells whether it could. A
// quiet one wakes nobody and triggers no set. If there is no room, the event is
// lost: Put returns false, Config.Overflow is told (once, until there has been
// room again) and Lost counts. It returns false after Close, too, but reports
// nothing: the owner has dropped the queue. It never blocks and allocates
// nothing.
func (p Provider[T]) Put(ev *T, quiet bool) bool { return p.d.put(ev, quiet) }

// PutAll is Put for many events, with one lock and one wake-up. It tells how
// many found room; the others are lost, and reported as Put reports it.
func (p Provider[T]) PutAll(evs []T, quiet bool) int { return p.d.putAll(evs, quiet) }

// PutAfterSources is Put for an event that must come behind everything that
// the sources hold at the time of the call (DISCONNECTED comes behind the
// flushed completions). It never blocks and may be called from anywhere,
// inside a drain, too: the event is queued then when the drain ends.
func (p Provider[T]) PutAfterSources(ev *T, quiet bool) bool { return p.d.putAfterSources(ev, quiet) }

// PutBack makes events that were polled the oldest again, in their order: for who
// takes events ahead of the program that wants them, and finds that it wants the
// queue whole. Nobody else may have taken any since. They count as queued, and as
// just arrived: who waits counts again, and a set or a flag is told. The queue may be
// longer than Cap for it. After Close they are dropped, as what is queued is.
//
// It never blocks. evs stays the caller's.
func (p Provider[T]) PutBack(evs []T) { p.d.putBack(evs) }

// Attach adds a source. Its events are handed out in its order; events of
// several sources mix. ErrClosed after Close, ErrState if it is attached
// already. It may wait for a drain under way, and must not be called from
// inside one.
func (p Provider[T]) Attach(src Source[T]) error { return p.d.attach(src) }

// Detach takes a source away. What it still holds is moved into the queue,
// even if that makes the queue longer than Cap. When Detach returns, the
// dispatcher will not call the source again. ErrInvalid if it is not attached.
// It may wait for a drain under way, and must not be called from inside one.
func (p Provider[T]) Detach(src Source[T]) error { return p.d.detach(src) }

// ArmSources arms all sources, and returns the first error. It may wait for a
// drain under way, and must not be called from inside one. Waits arm by
// themselves.
func (p Provider[T]) ArmSources() error { return p.d.armSources() }

// Wake is what a source calls, once after each Arm, when an event has arrived
// that is not quiet. It wakes the waiter, or triggers the set. It is cheap, does
// not drain, and may be called from any goroutine.
func (p Provider[T]) Wake() { p.d.wake() }

// Pump moves what the sources hold into the queue, as far as there is room,
// without handing anything out. Those who wait for the events are woken. It
// returns false if somebody else is at the sources just then, who will do it
// before letting go; it never blocks, and may be called from anywhere.
func (p Provider[T]) Pump() bool { return p.d.pump() }
