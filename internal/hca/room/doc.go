// Package room divides the room of a completion queue between the queues that feed it.
//
// A send queue may have as many requests under way as it is deep. Completions that
// nobody has taken yet do not count against that depth, since a consumer may be busy
// with another queue for a while. But each of them lies in the completion queue, which
// must not overflow. So the completion queue promises each of its feeders the depth
// that it was made with, and lends what is left to send queues whose completions wait.
//
// The short path of a post needs none of this: below its own depth a send queue does
// not ask.
package room
