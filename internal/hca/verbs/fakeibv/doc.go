// Package fakeibv is libibverbs and librdmacm in Go, with simulated devices below: the
// adapter of package verbs runs on it without a device and without the libraries.
//
// A [World] is a host with devices that reach each other. Its functions stand in the same
// table that the libraries' functions fill ([ibv.Serve]), take the same structures in
// memory outside the Go heap, and fail with the same error numbers.
//
// # Order
//
// What a device or the connection manager does by itself is a step: a request is executed,
// a completion becomes visible, an event is raised, a message of the connection manager
// arrives. Steps of one kind of one object happen in order (a lane); among lanes the
// world's seed chooses. So every order of connection events, completions, completion
// events and asynchronous events comes up that hardware may give.
//
// By default a goroutine of the world takes the steps. In a stepped world ([Config].Stepped)
// the test takes each with [World.Step], and in a bubble of testing/synctest it can wait
// until the adapter has reacted. A seed then decides the world's choices; the Go scheduler
// still decides among goroutines that one step wakes.
//
// # Checks
//
// The world refuses what the libraries refuse (a completion queue with queue pairs on it is
// EBUSY), waits where they wait (an object is destroyed when its events are acknowledged),
// and notes each call that real libraries would answer with a crash, such as the use of a
// destroyed object: [World.Faults]. [World.Left] lists the objects that nobody destroyed.
//
// # Histories
//
// TestHistories draws programs (connections between two devices, posts, polls, ends of every
// kind) and lets the world fail calls, answers, requests, queue pairs and devices meanwhile.
// Every post must complete once and in order, every connection end once and with a cause,
// and nothing may be left. The ordinary test plays 300; this plays more, or a single one:
//
//	GODAPL_FAKE_SEEDS=100000 go test -run TestHistories -v ./internal/hca/verbs/fakeibv
//	GODAPL_FAKE_SEED=165 go test -run TestHistories -v ./internal/hca/verbs/fakeibv
//
// Shared receive queues, windows and solicited receives are in the suite only, where the
// world takes the steps itself.
//
// # What it does not show
//
// A request is executed in one step, so no other party sees half a message. There are no
// packets, no multiple paths, and no firmware. Devices are InfiniBand's kind: reliable
// completions, private data filled up with zeros. The deviations of drivers (rxe, siw) are
// not modelled.
package fakeibv
