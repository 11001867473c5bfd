package rsocket_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// peerVariable has the test binary be the peer of a benchmark: its value is the transport, the
// service and where to listen.
const peerVariable = "GODAPL_RSOCKET_PEER"

// startPeer starts another process, and returns where it listens.
func startPeer(b testing.TB, kind, service string) string {
	b.Helper()
	at := "127.0.0.1:0"
	if kind == "unix" {
		at = filepath.Join(b.TempDir(), "s")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), peerVariable+"="+kind+" "+service+" "+at)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		_ = in.Close() // which ends it
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Skip("the peer cannot listen")
	}
	return strings.TrimSpace(address)
}

// bePeer is the other process. It ends with its input.
func bePeer(what string) {
	if what == busy {
		beBusy()
	}
	var kind, service, at string
	_, err := fmt.Sscan(what, &kind, &service, &at)
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "peer:", err)
			os.Exit(1)
		}
	}
	fail(err)
	_, listen, _, err := transport(context.Background(), kind)
	fail(err)
	ln, err := listen(at)
	fail(err)
	fmt.Println(ln.Addr())
	go func() {
		for {
			c, err := ln.Accept()
			fail(err)
			go map[string]func(net.Conn){"pingpong": pingpong, "sink": sink, "greet": greet}[service](c)
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func pingpong(c net.Conn) {
	p := make([]byte, 64)
	for {
		if _, err := io.ReadFull(c, p); err != nil {
			return
		}
		if _, err := c.Write(p); err != nil {
			return
		}
	}
}

// sink reads, and answers a byte of 1, which is the last that it reads.
func sink(c net.Conn) {
	p := make([]byte, 256<<10)
	for {
		n, err := c.Read(p)
		if err != nil {
			return
		}
		if p[n-1] == 1 {
			p[n-1] = 0
			if _, err := c.Write(p[n-1 : n]); err != nil {
				return
			}
		}
	}
}

// greet sends a byte, and leaves the connection open.
func greet(c net.Conn) { _, _ = c.Write([]byte{1}) }

// transport is both sides of a transport, until the end.
func transport(ctx context.Context, kind string) (dial rsocket.Fallback, listen func(string) (net.Listener, error), end func() error, err error) {
	if network := networkOf(kind); network != "" {
		return &net.Dialer{}, func(at string) (net.Listener, error) { return net.Listen(network, at) }, func() error { return nil }, nil
	}
	name, cfg := kind, rsocket.Config{}
	if base, small := strings.CutSuffix(kind, "-small"); small {
		kind, name, cfg = base, base, rsocket.Config{Ring: 4096, Messages: 16}
	}
	if base, parked := strings.CutSuffix(kind, "-parked"); parked {
		kind, name, cfg.Burst = base, base, -1
	}
	switch kind {
	case "shm-polled":
		cfg.Burst = 100_000 // some milliseconds: longer than any answer takes
		fallthrough
	case "shm":
		name = "soft-shm"
	}
	a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return nil, nil, nil, err
	}
	return &rsocket.Dialer{Adapter: a, Config: cfg}, func(at string) (net.Listener, error) { return rsocket.Listen(ctx, a, at, cfg) }, a.Close, nil
}

// networkOf is the network of a kind of sockets that the system has, or nothing.
func networkOf(kind string) string {
	if kind == "unix" || kind == "tcp" {
		return kind
	}
	return ""
}
