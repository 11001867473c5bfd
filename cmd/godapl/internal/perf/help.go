package perf

// helpFlags is the beginning of godapl help perf.
const helpFlags = `Perf measures the library, in the manner of perftest and ucx_perftest.

	godapl perf -path loop -op write -size 8 -mode poll -depth 16
	godapl perf -path tcp -op send -size 64 -mode wait -vs raw

It connects two sides; the active side starts all operations. With -path tcp and
-path shm the sides are two processes on this host, the second one started by the
first. With -path loop both are in one process.

The flags are:

	-path PATH         how bytes travel: loop, a copy in the process (the default); shm,
	                   memory that two processes share; tcp, iWARP over TCP; verbs:NAME,
	                   the RDMA device of this name
	-serve [HOST]:PORT be the passive side for one measurement of another process; of the
	                   other flags only -path and -cpus count. A connection that does not ask
	                   for a measurement within five seconds is closed, and the next one
	                   is accepted
	-peer HOST:PORT    the passive side is there, started with -serve
	-op OP             send, write (the default), read, or fadd (fetch-add, of 8 bytes)
	-size BYTES        of one operation (8)
	-mode MODE         how completions are taken, on both sides:
	                   poll   Dispatcher.Poll in a loop (the default)
	                   wait   Dispatcher.WaitBatch, which parks
	                   chan   Dispatcher.C, a channel of completions
	                   batch  Dispatcher.Batches, a channel of batches
	                   set    Set.Wait, of a set with both queues
	                   conn   Conn.Send and Conn.Recv, for -op send one at a time
	-connections N     measure calls: N clients of one server, see below
	-loops N           goroutines of the clients, each with a queue for its connections
	                   (-connections; with -mode poll 1)
	-burst LOOKS       how often a wait polls before it parks, see event.Config (0);
	                   below 0 it parks at once
	-load N            other work: N processes, each a busy loop, run beside it
	-cpus N            all processes share the first N processors (Linux)
	-depth N           operations in flight in the rate phase, of all endpoints
	                   together (1)
	-list N            operations per doorbell: above 1 they are posted with a
	                   Batch (1; with -mode batch: half of -depth)
	-take N            completions taken at a time, at most, with -mode poll or wait
	                   (64; with -api dat or vipl 1). -api dat takes more with EVDAhead,
	                   and only with -mode poll; -api vipl always takes 1
	-places N          places in memory that the operations use in turn (-depth). With 1,
	                   all are between the same bytes, as ucx_perftest's are
	-endpoints N       connected endpoints, used in turn (1). Each side takes the
	                   completions of all requests from one queue, those of all
	                   receives from another
	-duration TIME     of each phase (1s)
	-n N               operations of each phase, instead of -duration
	-api native|dat|vipl
	                   which API the active side uses: that of package rdma (native, the
	                   default), compat/dat or compat/vipl. The last two have one endpoint and
	                   the modes poll (EVDDequeue; SendDone and RecvDone) and wait
	                   (EVDWait; SendWait and RecvWait)
	-services STATES   print a table of comparisons instead, see below
	-vs net            compare messages with net.Conn
	-vs netchan        compare with net.Conn, a goroutine that reads it, and a channel
	-vs unix           compare with unix sockets
	-vs eventfd        compare with a copy through shared memory and an eventfd
	-vs raw            compare with bare sockets, eventfds or copies, see below
	-vs polled         compare large writes over tcp with bare polled sockets
	-vs native         compare -api dat or vipl with -api native
	-vs one            compare many endpoints with one
	-vs ucx            compare with UCX's ucx_perftest, -vs ucx:TEST with that test
	-vs libfabric      compare with libfabric's fi_pingpong
	-vs perftest       compare with perftest's programs for devices
	-rounds N          of the comparison (7)
	-slices            memory is slices of the program's own; without it it is the
	                   library's, which the other process maps on the shm path
	-tls               with -path tcp: both sides use TLS, and prove who they are with a
	                   certificate that is made for the measurement and protects nothing;
	                   -vs net and raw then compare with crypto/tls
	-only PHASE        latency or rate instead of both; the other's figures are 0
	-cpuprofile FILE   write a profile, and FILE.peer of a second process
	-json              print one object
	-timeout TIME      give up after that (10m)

`
