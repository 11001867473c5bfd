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
// The page lists adapters and connections: state, path, peer, queues, rates, how long nothing has
// moved, and a note that says what a connection waits for. It needs no JavaScript. The query of the
// address chooses what is shown:
//
//	sort=COLUMN      the rows in this order; -COLUMN is the reverse
//	q=TEXT           connections whose peer, path, state, note or number has the text
//	page=N           200 connections a page, from 1
//	refresh=SECONDS  the browser loads the page again
//	format=json      the same as JSON: a [Snapshot], with all connections that q selects
//
// Connections that record their last events (rdma.OpenConfig.FlightRecorder) show them, also in JSON
// if q selects no more than 200.
//
// Rates and idle times compare with an earlier look, so the first look has none. Text that peers
// choose is escaped. Keys and the content of memory are not shown. Anyone who may open the page sees
// the addresses of the peers: do not serve it to the outside.
package debug
