// Package wait has the one wait loop of the module: look, arm, look again,
// park. Every call that blocks for events goes through it, so that the lost
// wake-up has one place where it could live, and one test that looks for it.
//
// The two sides agree on an order:
//
//   - the producer publishes first and calls [Cell.Wake] second;
//   - the consumer arms first and looks second, and parks only if it saw
//     nothing.
//
// Whichever of the two comes first, one sees the other: a producer that finds
// nobody armed published before the consumer's second look. Wake-ups may be
// spurious (a token may be left from an earlier wait), which is why a woken
// consumer always looks again.
//
// [MarkLock] is the second primitive: a lock for work that must not be waited
// for. Who cannot have it leaves a mark, and the holder does the work before
// it lets go.
//
// The tests run the shipped code step by step through a hook and walk all
// interleavings of its steps; see the package interleave.
package wait
