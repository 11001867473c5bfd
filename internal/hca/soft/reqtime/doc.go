// Package reqtime measures how long the requests of a send queue take, from their post to their completion.
//
// A request may pass three places: the goroutine that posts it, an inbox, if another goroutine is inside the gate of
// the send half at that time, and the send queue. Its time goes the same way.
//
// A line of code in this package may touch the times. It knows no request and no queue: a request is the place that
// it has in its queue. Of the software adapter, the package imports nothing.
package reqtime
