// Package contest makes the same calls in several ways, and measures them in turns.
//
// A [Contender] is a way to make calls: over mailboxes, over sockets, over whatever a program adds.
// [Main] is the command: it starts the server of each contender as a process of its own, connects
// the clients of all contenders, lets one after the other make calls for a moment, and this for
// several rounds, so that what else the machine does falls on all of them. Then it prints the
// medians of the rounds.
//
// The service is the same everywhere: [Answer] changes a request into its answer, of the same
// length. Each answer is checked, and a wrong one ends the run.
//
// The clients are goroutines of one process, each with a connection of its own. A closed loop is a
// client with one call under way: over mailboxes, one Ask. A client that pipelines has several, in one
// goroutine: over mailboxes by Sender.Go and Pending.Wait, over sockets by buffers.
//
// The files in the order of the story: contender.go, lane.go, mailbox.go, socket.go, measure.go.
package contest
