package rsocket_test

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// BenchmarkLoad compares the ratios of an idle machine with those beside one busy loop per processor, in turns, for
// transports that sleep. What it reports are medians: both ratios, and by how much ours suffers more than the
// sockets of the system (worse: the ratio under load by the idle one, or the other way round for a bandwidth).
//
//	go test -run '^$' -bench Load -benchtime 7x ./rdma/rsocket
func BenchmarkLoad(b *testing.B) {
	for _, v := range []versus{{"shm", "unix"}, {"shm-parked", "unix"}, {"soft-tcp", "tcp"}, {"soft-tcp-parked", "tcp"}} {
		v.runLoaded(b, "pingpong", pingPong, func(idle, loaded float64) float64 { return loaded / idle })
	}
	for _, v := range []versus{{"shm", "unix"}, {"soft-tcp", "tcp"}} {
		v.runLoaded(b, "sink", writes, func(idle, loaded float64) float64 { return idle / loaded })
	}
}

func (v versus) runLoaded(b *testing.B, service string, measure func(*testing.B, net.Conn) float64, worse func(idle, loaded float64) float64) {
	b.Run(service+"/"+v.ours+"-vs-"+v.other, func(b *testing.B) {
		ours, other := dialPeer(b, v.ours, service), dialPeer(b, v.other, service)
		turn := turnOf(b, measure)
		turn(ours)
		turn(other)
		var idle, loaded []float64
		for b.Loop() {
			idle = append(idle, turn(ours)/turn(other))
			end := busyLoops(b)
			loaded = append(loaded, turn(ours)/turn(other))
			end()
		}
		i, l := median(idle), median(loaded)
		b.ReportMetric(i, "idle-ratio")
		b.ReportMetric(l, "loaded-ratio")
		b.ReportMetric(worse(i, l), "worse")
		b.ReportMetric(0, "ns/op")
	})
}

// busyLoops starts a busy process for each processor, until end is called.
func busyLoops(b *testing.B) (end func()) {
	b.Helper()
	var all []*exec.Cmd
	end = func() {
		for _, cmd := range all {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	for range runtime.NumCPU() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), peerVariable+"="+busy, "GOMAXPROCS=1")
		out, err := cmd.StdoutPipe()
		must(b, err)
		if err := cmd.Start(); err != nil {
			end()
			b.Fatal(err)
		}
		all = append(all, cmd)
		_, err = out.Read(make([]byte, 1)) // it has begun
		must(b, err)
	}
	return end
}

// busy is the value of peerVariable for a process that is busy until it is killed.
const busy = "busy"

func beBusy() {
	_, _ = os.Stdout.Write([]byte{'x'})
	for n := uint64(1); n != 0; n = n*2862933555777941757 + 3037000493 | 1 {
	}
}
