// Package integration holds black-box tests of the native API: they use rdma, rdma/mem and
// rdma/event as programs do, with real processes, sockets and threads. There is nothing in
// it to import. Each file tests one promise:
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
//	stopped_*            memory is taken back from a peer process that is stopped
//	fullring_*           far more is posted than fits while the peer process is stopped
//	churn_*              regions that a peer has freed keep no descriptors and mappings
//	shmlimits_*          a thousand connections, or too few descriptors
//	memlimits_*          limits of files, addresses, huge pages, a control group
//
// GODAPL_DRIVE=1m has TestDrive carry out plans for a minute on each path, and
// GODAPL_PLAN=n plan n again and again.
//
// GODAPL_SEED, which is printed, determines all random choices. With go test -v the tests
// also print the figures that they have measured.
package integration
