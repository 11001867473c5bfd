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
