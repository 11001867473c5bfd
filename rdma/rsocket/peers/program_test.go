package peers_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// A program is a C program that runs.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	output bytes.Buffer
	done   chan error
	tell   func() error // ends its standard input: see startTold
}

// start starts a program, and ends it with the test if it has not ended by itself. env is added
// to its environment.
func start(t *testing.T, env []string, name string, args ...string) *program {
	t.Helper()
	return startFrom(t, os.DevNull, env, name, args...)
}

// startTold is start of a program that waits for tell.
func startTold(t *testing.T, name string, args ...string) *program {
	t.Helper()
	in, tell, err := os.Pipe()
	must(t, err)
	p := startWith(t, in, nil, name, args...)
	p.tell = tell.Close
	t.Cleanup(func() { _ = tell.Close() }) // before the program is ended
	return p
}

// startFrom is start with a file as standard input.
func startFrom(t *testing.T, input string, env []string, name string, args ...string) *program {
	t.Helper()
	in, err := os.Open(input)
	must(t, err)
	return startWith(t, in, env, name, args...)
}

// startWith is start with an open file as standard input, which it closes here.
func startWith(t *testing.T, in *os.File, env []string, name string, args ...string) *program {
	t.Helper()
	defer in.Close()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p := &program{t: t, cmd: exec.CommandContext(ctx, path, args...), done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.Stdin = in
	p.cmd.Env = append(os.Environ(), env...)
	must(t, p.cmd.Start())
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		cancel()
		p.ended()
		if t.Failed() {
			t.Logf("%v\n%s", p.cmd.Args, p.output.Bytes())
		}
	})
	return p
}

// ended waits for the end of the program.
func (p *program) ended() error {
	err := <-p.done
	p.done <- err
	return err
}

// overRDMA reports an error unless the program uses a device for RDMA and no socket for TCP: librspreload
// takes TCP without a word where it cannot have RDMA. The program must be in the middle of a connection.
func (p *program) overRDMA() error {
	folder := fmt.Sprintf("/proc/%d", p.cmd.Process.Pid)
	files, err := filepath.Glob(folder + "/fd/*")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has ended", p.cmd.Args[0])
	}
	sockets, err := os.ReadFile(folder + "/net/tcp")
	if err != nil {
		return err
	}
	device := false
	for _, f := range files {
		what, _ := os.Readlink(f)
		device = device || strings.HasPrefix(what, "/dev/infiniband/uverbs")
		number, is := strings.CutPrefix(strings.TrimSuffix(what, "]"), "socket:[")
		if is && bytes.Contains(sockets, []byte(" "+number+" ")) {
			return fmt.Errorf("%s has a socket for TCP", p.cmd.Args[0])
		}
	}
	if !device {
		return fmt.Errorf("%s has no device for RDMA open", p.cmd.Args[0])
	}
	return nil
}

// TestTCPIsNoticed: the other tests would notice if a program used TCP.
func TestTCPIsNoticed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a program has open is read from /proc, which only Linux has")
	}
	p := start(t, nil, "sleep", "60")
	if err := p.overRDMA(); err == nil || !strings.Contains(err.Error(), "no device") {
		t.Error(err)
	}
	at := port()
	p = start(t, nil, "nc.traditional", "-n", "-l", "-s", "127.0.0.1", "-p", at)
	var d net.Dialer
	for c, err := net.Conn(nil), error(nil); c == nil; {
		if c, err = d.DialContext(t.Context(), "tcp", "127.0.0.1:"+at); err == nil {
			defer c.Close()
		} else if open := p.overRDMA(); open != nil && strings.Contains(open.Error(), "has ended") {
			t.Fatal(open)
		}
	}
	// It may be between its two sockets, of the listener and of the connection.
	for err := p.overRDMA(); err == nil || !strings.Contains(err.Error(), "socket for TCP"); err = p.overRDMA() {
		if err == nil || strings.Contains(err.Error(), "has ended") {
			t.Fatal(err)
		}
	}
}

// fine waits for the end, which must be without an error.
func (p *program) fine() {
	p.t.Helper()
	if err := p.ended(); err != nil {
		p.t.Errorf("%s: %v", p.cmd.Args[0], err)
	}
}

var lastPort atomic.Int32

// port is a number that no other test has, for programs that cannot choose one.
func port() string { return strconv.Itoa(int(17000 + lastPort.Add(1))) }
