package peers_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// flooded is a server in a process of its own.
type flooded struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	address string
	most    stats
}

// floodedVariable holds the limit of descriptors, 0 for none.
const floodedVariable = "GODAPL_TEST_FLOODED"

// Lines of the server begin with this mark; others are the test framework's.
const floodedMark = "flooded: "

func startFlooded(t *testing.T, limit uint64) *flooded {
	t.Helper()
	v := &flooded{process: exec.Command(os.Args[0], "-test.run=^TestFloodedProcess$", "-test.timeout=2m")}
	v.process.Env = append(os.Environ(), floodedVariable+"="+strconv.FormatUint(limit, 10))
	v.process.Stderr = os.Stderr
	var err error
	if v.in, err = v.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := v.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	v.out = bufio.NewScanner(out)
	if err := v.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if v.process.ProcessState == nil {
			_ = v.process.Process.Kill()
			_ = v.process.Wait()
		}
	})
	v.address = v.line(t)
	return v
}

func (v *flooded) line(t *testing.T) string {
	t.Helper()
	for v.out.Scan() {
		if s, ok := strings.CutPrefix(v.out.Text(), floodedMark); ok {
			return s
		}
		t.Log(v.out.Text())
	}
	t.Fatalf("the server says nothing more: %v", v.out.Err())
	return ""
}

func (v *flooded) stats(t *testing.T) (s stats) {
	t.Helper()
	if _, err := fmt.Fprintln(v.in, "stats"); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(v.line(t), &s.goroutines, &s.memory, &s.files); err != nil {
		t.Fatal(err)
	}
	v.most = stats{max(v.most.goroutines, s.goroutines), max(v.most.memory, s.memory), max(v.most.files, s.files)}
	return s
}

// settled waits until the server has only its guests.
func (v *flooded) settled(t *testing.T, before stats) {
	t.Helper()
	for deadline := time.Now().Add(2 * patience); ; {
		s := v.stats(t)
		if s.files <= before.files+8 && s.goroutines <= before.goroutines+8 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server holds %v, and before it held %v", s, before)
		}
	}
}

// stop closes the server, and fails if that fails.
func (v *flooded) stop(t *testing.T) {
	t.Helper()
	_ = v.in.Close()
	for v.out.Scan() {
		if s := v.out.Text(); s != "PASS" {
			t.Log(s)
		}
	}
	if err := v.process.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}

// TestFloodedProcess is the server.
func TestFloodedProcess(t *testing.T) {
	limit, err := strconv.ParseUint(os.Getenv(floodedVariable), 10, 64)
	if err != nil {
		t.Skip("it is run by TestFlood")
	}
	if limit > 0 {
		if err := limitFiles(limit); err != nil {
			t.Fatal(err)
		}
	}
	s := newBare(t, soft.Driver("tcp"), hca.Options{})
	requests := make(chan hca.ConnRequest, 64)
	l, err := s.a.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		select {
		case requests <- r:
			return true
		default:
			return false // as a full backlog does
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for r := range requests {
			welcome(t, s, r)
		}
	}()
	fmt.Println(floodedMark + l.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(floodedMark, runtime.NumGoroutine(), m.HeapInuse+m.StackInuse, openFiles())
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := s.a.Close(); err != nil { // no request is delivered after that
		t.Error(err)
	}
	close(requests)
	<-over
}

// welcome accepts a request that carries a name, and rejects others.
func welcome(t *testing.T, s *station, r hca.ConnRequest) {
	if len(r.Private()) == 0 {
		_ = r.Reject(nil)
		return
	}
	e := s.endpoint(t, depths{4, 4})
	copy(e.mem.array[e.mem.read.off:], "all well")
	private := binary.BigEndian.AppendUint32(nil, uint32(e.mem.read.stag()))
	private = binary.BigEndian.AppendUint64(private, e.mem.read.to(0))
	if err := r.Accept(context.Background(), e.qp, hca.ConnParams{Private: private}); err != nil {
		fmt.Println("accept:", err) // out of descriptors: the guest tries again
	}
}
