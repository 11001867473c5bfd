// Package debug serves a page that shows what the adapters of a running process do, in the manner of
// net/http/pprof.
//
// Importing the package registers the page with http.DefaultServeMux under /debug/rdma/. It shows the
// adapters that the program has published:
//
//	debug.Publish(adapter)
//	log.Fatal(http.ListenAndServe("localhost:6060", nil))
//
// A program with a mux of its own uses [Handler].
//
// The page lists adapters, their zones and completion queues, and connections: state, path, peer,
// queues, rates, how long nothing has moved, and a note that says what a connection waits for. For
// connections of rdma/rsocket and rdma/mailbox it shows what is under way and what there may be, and
// whether a call waits for room. [Show] adds facts of the program. The page needs no JavaScript; with
// it, the tables are brought up to date in their place every two seconds, or as often as refresh says.
// The query of the address chooses what is shown:
//
//	sort=COLUMN      the rows in this order; -COLUMN is the reverse
//	q=TEXT           connections whose peer, path, state, note or number has the text
//	page=N           200 connections a page, from 1
//	refresh=SECONDS  how often; a browser without JavaScript loads the page again
//	format=json      the same as JSON: a [Snapshot], with all connections that q selects
//
// Connections that record their last events (rdma.OpenConfig.FlightRecorder) show them, also in JSON
// if q selects no more than 200.
//
// Rates and idle times compare with an earlier look, so the first look has none. A connection is stuck since the first look
// that has seen the work under way, if nothing has completed since. The wait of a message
// for a receive, and that of requests for room, are what is at the time of the look. A look waits for a
// tenth of a second at most for the connections of an adapter that a stopped goroutine holds. Text that
// peers choose is escaped. Keys and the content of memory are not shown. Anyone who may open the page sees
// the addresses of the peers: do not serve it to the outside.
package debug
