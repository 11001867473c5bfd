package stock

import (
	"strings"
	"testing"
	"time"
)

// Transactions: -T T. Both sides run the operations in the order given.
var transactions = []string{
	"-i 1 client SR 4096 server SR 4096",
	"-i 10000 -t 1 -w 1 client SR 256 server SR 256",
	"-i 10000 client SR 256 server RW 4096 server SR 256",
	"-i 10000 client SR 256 server RR 4096 server SR 256",
	"-i 3000 -P client SR 1 server SR 7 2 client RW 33 3 server RR 65536",
	"-P -i 4096 client RW 4096 1 server RW 2048 4 server RR 1024 1 client RR 2048 1 client SR 1024 3 -f server SR 256 3 -f",
	"-P -w 4 -i 2048 client RW 4096 1 server RW 2048 4 server RR 1024 1 client RR 2048 1 client SR 1024 3 -f server SR 256 3 -f",
	"-P -t 2 -w 4 -i 1024 client RW 4096 1 server RW 2048 4 server RR 1024 1 client RR 2048 1 client SR 1024 3 -f server SR 256 3 -f",
	"-t 4 -w 4 -i 512 client RW 4096 1 server RW 2048 4 server RR 1024 1 client RR 2048 1 client SR 1024 3 -f server SR 256 3 -f",
	"-P -t 4 -w 8 -i 256 client SR 512 server SR 512 client RW 8192 2",
	"-V -t 2 -w 4 -i 2000 client RW 4096 1 server RW 2048 4 client SR 1024 4 server SR 4096 2 client SR 1024 3 -f server SR 2048 1 -f",
	"-V -P -i 500 client SR 100000 server SR 65537 client RR 4096 8",
	"-r -i 200 -t 2 -w 4 client SR 256 server SR 256",
	"-r -V -P -i 200 -t 2 -w 4 client SR 256 server SR 256 client RW 256 7",
	"-i 100 client SR 3 7 server SR 5 6",
	"-V -i 50 client SR 1048577 server SR 65535",
	"-P -i 100 -t 16 -w 4 client SR 100 server SR 100 client RW 77 3",
}

// Performance: -T P.
var performances = []string{
	"-i 2048 -m b RW 4096 2",
	"-i 4096 RR 32768 1",
	"-i 4096 RW 32768 4",
	"-i 4096 -p 16 -m b RW 65536 2",
	"-i 8192 -p 1 -m b RW 4 1",
	"-i 50000 -p 1 -m p RW 4 1",
	"-i 10000 -p 8 -m p RR 64 1",
	"-i 5000 -p 500 -m p RW 64 1",
	"-i 200 -p 4 -m b RW 1048577 1",
}

const (
	serverReady  = "Dapltest: Service Point Ready"
	clientEnd    = "End of Work -- Client Exiting"
	transactEnd  = "Server: Transaction Test Finished for this client"
	performEnd   = "Server: Finished performance test.  Exiting."
	serverEnd    = "Exiting."
	throughput   = "Operation Throughput"
	rawNumbers   = "raw:"
	manyQuanta   = "Total WQE"
	tooFewQuanta = "Try running the test with more iterations"
)

func TestDapltest(t *testing.T) {
	h := newHost(t)
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			t.Run("T", func(t *testing.T) { h.serve(t, p, "T", transactions, transactEnd) })
			t.Run("P", func(t *testing.T) { h.serve(t, p, "P", performances, performEnd, throughput, rawNumbers) })
			t.Run("L", func(t *testing.T) { h.limits(t, p) })
			t.Run("F", func(t *testing.T) { h.features(t, p) })
		})
	}
}

// serve runs lines against one server; the last client ends the server.
func (h *host) serve(t *testing.T, p path, mode string, lines []string, ends string, wanted ...string) {
	var server *process
	for i, line := range lines {
		line = abridged(line)
		t.Run(line, func(t2 *testing.T) {
			if i%2 == 1 && testing.Short() {
				t2.Skip("every other line in short mode")
			}
			p.needs(t2, line)
			if server == nil || !server.running() {
				server = h.startFor(t, always, "dapltest", "-T", "S", "-D", p.name)
				if !server.ready(serverReady, 0) {
					t2.Fatalf("the server is not ready: %v\n%s", server.wait(), tail(server.out.from(0)))
				}
			}
			from := server.out.len()
			args := append([]string{"-T", mode, "-s", p.address, "-D", p.name}, strings.Fields(line)...)
			c := h.start(t2, "dapltest", args...)
			c.wait()
			if c.err == nil && !server.ready(ends, from) {
				t2.Errorf("the server ended")
			}
			more := wanted
			if mode == "T" {
				more = []string{manyQuanta}
				if strings.Contains(c.out.from(0), tooFewQuanta) {
					more = []string{tooFewQuanta}
				}
			}
			judged(t2, c, server.out.from(from), append([]string{clientEnd}, more...)...)
			if t2.Failed() {
				server.stop() // the next line gets a new server
			}
		})
	}
	if t.Failed() || server == nil {
		return
	}
	bound := time.AfterFunc(patience, server.end)
	defer bound.Stop()
	quit := h.start(t, "dapltest", "-T", "Q", "-s", p.address, "-D", p.name)
	if err := quit.wait(); err != nil {
		t.Errorf("%s: %v\n%s", quit.line, err, tail(quit.out.from(0)))
	}
	if err := server.wait(); err != nil || !strings.Contains(server.out.from(0), "DT_cs_Server ("+p.name+"):  "+serverEnd) {
		t.Errorf("the server was asked to end: %v\n%s", err, tail(server.out.from(0)))
	}
}
