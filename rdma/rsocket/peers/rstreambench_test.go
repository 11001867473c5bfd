package peers_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// rstreamVariable makes this program the server of BenchmarkRstream: device, address, size, count and times.
const rstreamVariable = "GODAPL_RSTREAM"

// BenchmarkRstream compares rstream with itself, C to C, and with what it does between two processes of this library, in
// turns on each device. It reports microseconds for each transfer, and ours in relation to theirs; less is better.
//
//	go test -run '^$' -bench Rstream -benchtime 7x ./rdma/rsocket/peers
func BenchmarkRstream(b *testing.B) {
	for _, device := range rdma.Adapters() {
		if !strings.HasPrefix(device, "siw") && !strings.HasPrefix(device, "rxe") {
			continue
		}
		for _, r := range []struct{ size, count, times int }{{64, 1, 500}, {65536, 100, 5}, {1 << 20, 10, 5}} {
			b.Run(fmt.Sprintf("%s/%d", device, r.size), func(b *testing.B) {
				var all [3][]float64
				for b.Loop() {
					theirs := rstreamOfC(b, device, r.size, r.count, r.times)
					ours := rstreamOfGo(b, device, r.size, r.count, r.times)
					all[0], all[1], all[2] = append(all[0], ours), append(all[1], theirs), append(all[2], ours/theirs)
				}
				for i, unit := range []string{"µs", "rstream-µs", "ratio"} {
					slices.Sort(all[i])
					b.ReportMetric(all[i][len(all[i])/2], unit)
				}
				b.ReportMetric(0, "ns/op") // of both: means nothing
			})
		}
	}
}

// rstreamOfC returns the microseconds of a transfer that rstream prints.
func rstreamOfC(b *testing.B, device string, size, count, times int) float64 {
	b.Helper()
	host, at := addressOf(b, device), port()
	// -T b: its calls wait, as ours do. Without it, it looks again and again and never sleeps.
	args := []string{"-T", "b", "-S", strconv.Itoa(size), "-C", strconv.Itoa(count), "-I", strconv.Itoa(times), "-p", at}
	server := exec.Command("rstream", append(args, "-b", host)...)
	must(b, server.Start())
	defer server.Wait()
	for range 100 { // the server may not listen yet
		out, err := exec.Command("rstream", append(args, "-s", host)...).CombinedOutput()
		if err != nil {
			<-time.After(50 * time.Millisecond)
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		fields := strings.Fields(lines[len(lines)-1])
		took, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return took
	}
	_ = server.Process.Kill()
	b.Fatal("rstream does not connect")
	return 0
}

// rstreamOfGo does the same with a second process of this program.
func rstreamOfGo(b *testing.B, device string, size, count, times int) float64 {
	b.Helper()
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d %d %d", rstreamVariable, device, addressOf(b, device), size, count, times))
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	must(b, err)
	must(b, server.Start())
	defer server.Wait()
	at, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	a, err := rdma.Open(b.Context(), device, rdma.OpenConfig{})
	must(b, err)
	defer a.Close()
	c, err := (&rsocket.Dialer{Adapter: a}).DialContext(b.Context(), "tcp", strings.TrimSpace(at))
	must(b, err)
	defer c.Close()
	must(b, rstream(c, 0, 0, 0, true, false)) // rstream starts its clock behind the first exchange, too
	begun := time.Now()
	must(b, rstream(c, size, count, times, true, false))
	return float64(time.Since(begun).Microseconds()) / float64(2*count*times)
}

// serveRstream is the server's process.
func serveRstream(what string) error {
	var device, host string
	var size, count, times int
	if _, err := fmt.Sscan(what, &device, &host, &size, &count, &times); err != nil {
		return err
	}
	a, err := rdma.Open(context.Background(), device, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	ln, err := rsocket.Listen(context.Background(), a, net.JoinHostPort(host, "0"), rsocket.Config{})
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	c, err := ln.Accept()
	if err != nil {
		return err
	}
	for _, n := range [...]int{0, times} {
		if err := rstream(c, size, count, n, false, false); err != nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, c)
	return err
}
