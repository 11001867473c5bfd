// Package integration holds tests of the native API as a program sees it: black
// boxes over rdma, rdma/mem and rdma/event, with real processes, sockets and
// threads. There is nothing in it to import. Each file is one promise:
//
//	kill_test.go         a peer process dies in the middle of everything
//	drive*_test.go       whatever happens, every post completes exactly once, and every
//	                     byte is what it must be: plans that are drawn at random
//	cancel_test.go       a cancelled call leaves its memory to the adapter
//	teardown_test.go     objects are closed in every order, with work in flight
//	fabric_test.go       a program brings its own streams: in memory, TLS
//	capture_test.go      a capture is what went over the sockets, byte for byte
//	tshark_test.go       and tshark understands all of it
//	scale_test.go        ten thousand endpoints and dispatchers
//	gc_test.go           large copies do not hold up the garbage collector
//	idle_test.go         an idle connection costs nothing
//	standing_test.go     and holds little memory
//	stopped_*            a peer process stops while memory is taken back from it
//	fullring_*           a peer process stops, and far more is posted than fits
//	churn_*              what was used of a peer's memory that is gone holds nothing
//	shmlimits_*          a thousand connections, or too few descriptors
//	memlimits_*          limits of files, addresses, huge pages, a control group
//
// GODAPL_DRIVE=1m has TestDrive carry out plans for a minute on each path, and
// GODAPL_PLAN=n plan n again and again.
//
// What tests draw at random follows from GODAPL_SEED, which is printed. With
// go test -v they also print the figures they saw.
package integration
