package perf

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestWrongPeers: the other address may belong to any program.
func TestWrongPeers(t *testing.T) {
	for name, c := range map[string]struct {
		answer, timeout, want string
	}{
		"silent":       {"", "50ms", "not done after 50ms"},
		"another":      {"HTTP/1.1 400 Bad Request\r\n\r\n", "1m", "no godapl perf -serve"},
		"not prepared": {`{"Err":"no memory"}`, "1m", "the other side: no memory"},
	} {
		t.Run(name, func(t *testing.T) {
			var lc net.ListenConfig
			ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var other sync.WaitGroup
			defer other.Wait()
			defer ln.Close()
			other.Go(func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, c.answer)
				_, _ = io.Copy(io.Discard, conn)
			})
			wantError(t, c.want, "-path", "tcp", "-peer", ln.Addr().String(), "-timeout", c.timeout)
		})
	}
	wantError(t, "is godapl perf -serve running there", "-path", "tcp", "-peer", "127.0.0.1:1")
	for _, flag := range []string{"-peer", "-serve"} {
		wantError(t, "loop is within one process", flag, "127.0.0.1:1")
	}
}

// TestPathsThatDoNotMeet: shared memory needs both sides, and both say so.
func TestPathsThatDoNotMeet(t *testing.T) {
	for _, paths := range [][2]string{{"shm", "tcp"}, {"tcp", "shm"}} {
		said, errs := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- run(t.Context(), []string{"-path", paths[0], "-serve", "127.0.0.1:0"}, io.Discard, errs)
		}()
		line := make([]byte, 100)
		n, err := said.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		address := strings.Fields(string(line[:n]))[3] // perf: waiting at ADDRESS
		wantError(t, "do not meet", "-path", paths[1], "-peer", address)
		if err := <-served; err == nil || !strings.Contains(err.Error(), "do not meet") {
			t.Errorf("the side with -serve says %v", err)
		}
	}
}

func wantError(t *testing.T, want string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if err := run(t.Context(), args, &out, &errs); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("perf %q: %v, want %q in it", args, err, want)
	}
}

// TestStrangersAreNotServed: who connects and sends nothing, or something else, does not keep the other side out.
func TestStrangersAreNotServed(t *testing.T) {
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, text := range []string{"", "GET / HTTP/1.1\r\n\r\n", `{"Op":"send"}`} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, text)
	}
	var said bytes.Buffer
	conn, _, cfg, err := acceptPeer(t.Context(), ln, time.Second, &said)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if cfg.Op != "send" {
		t.Errorf("the configuration is %+v", cfg)
	}
	for _, want := range []string{"nothing came for 1s", "invalid character", "still waiting"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it says %q, want %q in it", said.String(), want)
		}
	}
}
