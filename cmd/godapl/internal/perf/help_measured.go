package perf

// helpMeasured is the part about the figures.
const helpMeasured = `WHAT IS MEASURED

Latency and rate are separate phases. The rate phase keeps -depth operations in
flight and reads the clock only at its start and end. It ends when everything has
arrived: where the completion of a send or write does not prove that (iWARP), a read
at the end does. This phase gives the rate and the bandwidth, the processor time (user
and system, of both sides together), and the allocations of both sides.

The latency phase does one operation at a time. The latency of a send is one way: half
the round trip of a message and its answer. The same holds for a write, which carries
immediate data, as its answer does: in Go, polling the last byte of memory that a peer
writes is a data race. Between two processes that share memory it is none, so polled
writes of whole words over shm carry no immediate data: both sides take the completion
of their own write and poll the last word of their memory until it changes. The
latency of read and fadd is the time from post to completion. It includes two reads of
the clock; in comparisons there are two reads for 16 operations.

A message of VIPL that finds no receive ends the connection. So with -api vipl, and on
adapters that do the same, the receiver sends a credit whenever it has posted half of its
receives again. The native side that -vs native compares with has the same credits.

In the loop path both sides are goroutines of one process. In sends and in the latency
of writes both of them work; in a rate of writes, reads or fadds only one does.

Both phases count the processor time and the context switches of both processes: per
message in the latency phase, per operation in the rate phase. A round trip has two
messages: the switches of both sides per message are those of one side per round trip.

With -connections there is one phase, of calls: each client keeps -depth requests of
-size bytes on the way, and its time is that from a request to its answer. The server is
one goroutine. It has one shared receive queue, copies a request to a place for answers
of its connection, posts the receive again, and sends the answer without a completion. It
takes all completions from one queue, in the way of -mode; with set there are two queues. Each
client is a goroutine with a queue of its own, unless -loops says otherwise.

`
