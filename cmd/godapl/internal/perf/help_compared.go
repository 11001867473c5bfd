package perf

// helpCompared is the part about comparisons.
const helpCompared = `COMPARISONS

With -vs, after the measurement, perf measures again in turns with something else,
-rounds times. It prints the median of the rounds' ratios, ours divided by theirs,
with the smallest and the largest: of the latency for sends, else of the bandwidth or
rate. For the programs of others -only selects one of the two.

	send                 net: a ping-pong on net.Conn. netchan: the same where on each
	                     side a goroutine reads, and passes on what it reads in a
	                     channel, so that a select can wait for it. unix: net.Conn on
	                     unix sockets. eventfd: the message is copied into shared memory
	                     and out of it, and an eventfd in Go's poller wakes the other
	                     process (Linux). All of these also print the times of half and
	                     of 99 of 100 messages, the processor time and the context
	                     switches of both sides
	-connections N       net, unix: the same calls over sockets, with a goroutine for
	                     each connection on both sides. bufio reads and writes many
	                     messages with one system call: what is written goes out when
	                     nothing is left to read. Figures are calls per second
	tcp send, poll       raw: a ping-pong on two non-blocking sockets that are used
	                     only by two spinning loops of system calls (Linux)
	tcp send, else       raw: a ping-pong on net.Conn
	tcp write            raw: a stream over net.Conn, by writes of the size that is
	                     fastest: that of ours, or 64 KiB to 1 MiB as far as -size
	                     times -places reaches
	tcp write            polled: writes of -size to a non-blocking socket, with a peer
	                     that reads another in a loop: no framing, checksum, memory
	                     checks or completions; what the system's TCP can do (Linux)
	shm send, not poll   raw: a ping-pong of two eventfds in Go's poller, without
	                     data: the minimal cost of waking the other process
	loop write           raw: copy, of the same memory
	-endpoints N         one: the same between two other sides, with one endpoint
	-api dat or vipl     native: the same between two other sides, with as many
	                     completions taken at a time (-take); the difference of
	                     the times is what the calls of one post and one completion add
	tcp                  ucx: ucx_perftest over TCP (UCX_TLS=tcp), by default its
	                     tag_lat or tag_bw for sends, ucp_put_lat or ucp_put_bw for
	                     writes, ucp_get and ucp_fadd
	shm                  ucx: the same over shared memory (UCX_TLS=posix,cma,self)
	tcp                  libfabric: fi_pingpong -p tcp -e msg, for sends and writes.
	                     Its bandwidth is that of one message at a time
	verbs:DEVICE         perftest: ib_send_lat, ib_write_bw and so on, by the operation and
	                     phase, connected as ours are (-R), with their own 128
	                     operations in flight in the bandwidth ones

The programs of other libraries must be installed; in Debian they are in the packages
ucx-utils, libfabric-bin and perftest. Their two sides are two processes, like ours.
The number of their operations follows from -duration, or from -n.

`

// helpRest is the end.
const helpRest = `SERVICES

	godapl perf -services all -duration 200ms
	godapl perf -services quiet,busy -path tcp

-services prints a table in Markdown. It compares each way to take completions, over tcp
and shm, with what a service would use without the library: when nothing else runs (quiet),
beside a busy loop for each processor (busy), and on one processor (one). A cell is the median of the rounds'
ratios, with the smallest and the largest. Of messages it is a ratio of times, where less
is better; of calls per second more is better. The last columns are of the first state:
the ratio of the times of 99 of 100, and context switches and processor time of ours and
of the other, for a message or call, of both sides together. Each row's command is that
for the quiet machine.

TWO HOSTS

	one$   godapl perf -path verbs:mlx5_0 -serve :7472
	other$ godapl perf -path verbs:mlx5_0 -peer one:7472 -op send

The commands to the other side use a separate TCP connection.

OUTPUT

A table, or with -json one object:

	{"path","op","size","mode","depth","api","ops","lat_p50_ns","lat_p99_ns",
	"lat_cpu_ns","lat_switches","ops_per_s","bytes_per_s","cpu_ns_per_op",
	"switches_per_op","allocs_per_op","errors"}

where ops are those of the rate phase, or calls; with -connections that number, and
with -vs also "vs" with the ratio, with -tls also "tls". If an operation fails, errors is not 0.

The exit status is 0 if everything was measured, 1 if an operation or anything else
failed, and 2 if the command line is wrong.`
