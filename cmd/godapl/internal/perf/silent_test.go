package perf

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestSilentRawPeers: this side ends although peers of the bare measurements keep their connections open.
func TestSilentRawPeers(t *testing.T) {
	cfg, err := parse(strings.Fields("-path tcp -op send -size 64"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openPassive(t.Context(), cfg, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []string{"net", "netchan", "raw wait", "raw poll", "raw stream", "raw polled stream", "calls net"} {
		a := p.do(t.Context(), command{Do: do})
		if a.Err != "" {
			t.Fatal(do, a.Err)
		}
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp4", a.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		// What is sent is read, at the latest when this side ends.
		if _, err := conn.Write(make([]byte, 32)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

// TestEndlessPeer: an answer without an end is not kept in memory for as long as the measurement may take.
func TestEndlessPeer(t *testing.T) {
	defer func(most int64) { mostAnswers = most }(mostAnswers)
	mostAnswers = 1 << 20
	const much = 64 << 20 // more than the system has room for
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	sent := make(chan int)
	go func() {
		total := 0
		defer func() { sent <- total }()
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, err = io.WriteString(conn, `{"Err":"`)
		for more := strings.Repeat("more", 1<<16); total < much && err == nil; {
			var n int
			n, err = io.WriteString(conn, more)
			total += n
		}
	}()
	wantError(t, "the other side does not answer", "-path", "tcp", "-peer", ln.Addr().String())
	if n := <-sent; n >= much {
		t.Errorf("it has taken %d bytes of an answer", n)
	}
}
