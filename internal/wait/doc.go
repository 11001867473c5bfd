// Package wait has the one wait loop of the module: look, arm, look again, park. Every
// call that blocks for events uses it, so a lost wake-up could exist in one place only,
// and one test searches for it.
//
// The two sides agree on an order:
//
//   - the producer publishes first and calls [Cell.Wake] second;
//   - the consumer arms first and looks second, and parks only if it saw
//     nothing.
//
// In either order, one of the two sees the other: a producer that finds no armed
// sleeper published before the consumer's second look. Wake-ups may be spurious (a
// token may be left from an earlier wait), so a woken consumer always looks again.
//
// [MarkLock] is the second primitive: a lock for work that must not wait. A goroutine
// that cannot take the lock leaves a mark, and the holder does the work before it
// unlocks.
//
// The tests run the shipped code step by step through a hook and walk all interleavings
// of its steps; see the package interleave.
package wait
