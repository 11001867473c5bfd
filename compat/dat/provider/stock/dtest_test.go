package stock

import (
	"strings"
	"testing"
	"time"
)

// pairs are programs that are their own server, and the last line that each side
// prints.
var pairs = []struct{ line, end string }{
	{"dtest -b 65536 -B 10", dtestEnd},
	{"dtest -b 65536 -c", dtestEnd},
	{"dtest -b 4096 -S 10", dtestEnd},
	{"dtest -w -b 65536", dtestEnd},
	{"dtest -W -B 100", dtestEnd},
	{"dtest -D -B 50 -b 4096", dtestEnd},
	{"dtest -u -b 65536", dtestEnd},
	{"dtest -B 20 -W -a -i 512 -b 8192", dtestEnd},
	{"dtest -b 33 -B 300", dtestEnd},
	{"dtest", dtestEnd},
	{"dtestx -b 4096", extensionEnd},
	{"dtestcm -c 100", connectEnd},
	{"dtestcm -c 1000 -w", connectEnd},
	{"dtestcm -c 300 -m", connectEnd},
	{"dtestcm -c 100 -b 10 -m", connectEnd},
	{"dtestsrq -c 10", sharedEnd},
	{"dtestsrq -c 100", sharedEnd},
	{"dtestsrq -c 100 -B 10 -t 5 -b 4096", sharedEnd},
	{"dtestsrq -S 0", "DAPL RC none SRQ Test Complete."},
}

const (
	dtestEnd   = "DAPL Test Complete. PASSED"
	connectEnd = "DAPL Connection Test Complete."
	sharedEnd  = "DAPL RC SRQ Test Complete."

	extensionEnd = "IB extension test - immed/atomic test PASSED"
)

// ready is what a server prints when its client may start.
var ready = map[string]string{
	"dtest":    "Server is waiting for client connection",
	"dtestx":   "waiting to snd addr",
	"dtestcm":  "Conn server waiting for client",
	"dtestsrq": "server ready on port",
}

// firstWords is the port of the connection, without RDMA, over which client and server agree first.
const firstWords = 15828

func TestDtest(t *testing.T) {
	h := newHost(t)
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			for _, pair := range pairs {
				h.pair(t, p, pair.line, pair.end)
			}
			t.Run("dtestx -q", func(t *testing.T) {
				p.needs(t, "dtestx")
				c := h.start(t, "dtestx", "-P", p.name, "-q")
				judged(t, c, "DAT_IB_IMMED_DATA")
			})
		})
	}
}

// pair runs a line as server and as client.
func (h *host) pair(t *testing.T, p path, line, end string) {
	t.Run(line, func(t *testing.T) {
		p.needs(t, line)
		program, c, server := h.both(t, p, line)
		for tries := 1; strings.Contains(c.out.from(0), tooEarly) && program == "dtestx" && tries < 20; tries++ {
			t.Logf("%s: the server did not listen yet, once more", c.line)
			program, c, server = h.both(t, p, line)
		}
		if err := server.wait(); err != nil {
			t.Errorf("%s: %v\n%s", server.line, err, tail(server.out.from(0)))
		}
		judged(t, c, server.out.from(0), end)
		// In dtestcm, which only connects, just the client prints a result.
		if program != "dtestcm" && !strings.Contains(server.out.from(0), end) {
			t.Errorf("the server lacks %q\n%s", end, tail(server.out.from(0)))
		}
	})
}

// tooEarly is what dtestx prints when nothing listened. Its server tells the client to
// start first, and listens afterwards.
const tooEarly = "unexpected event, !conn established: 0x4003"

// both runs a line as server and as client. When it returns the client has ended, and
// the server ends by itself or has been ended.
func (h *host) both(t *testing.T, p path, line string) (program string, client, server *process) {
	t.Helper()
	program, options, _ := strings.Cut(line, " ")
	args := append([]string{"-P", p.name}, strings.Fields(options)...)
	server = h.server(t, program, args)
	if !server.ready(ready[program], 0) || program != "dtestsrq" && !server.listening(t, firstWords) {
		t.Fatalf("the server is not ready: %v\n%s", server.wait(), tail(server.out.from(0)))
	}
	client = h.start(t, program, append(args, "-h", p.address)...)
	if client.wait() != nil {
		server.stop() // otherwise it would wait for ever
	}
	return program, client, server
}

// inUse is the error for a port that the system has given to a connection, perhaps of another
// program: a closed connection keeps its port for a minute.
const inUse = "DAT_CONN_QUAL_IN_USE"

// server starts the server, again if the ports that it insists on are not free yet.
func (h *host) server(t *testing.T, program string, args []string) *process {
	t.Helper()
	again := time.NewTicker(2 * time.Second)
	defer again.Stop()
	for tries := 1; ; tries++ {
		p := h.start(t, program, append(args, "-s")...)
		if p.ready(ready[program], 0) || !strings.Contains(p.out.from(0), inUse) || tries == 40 {
			return p
		}
		t.Logf("%s: a port is in use, once more", p.line)
		<-again.C
	}
}
