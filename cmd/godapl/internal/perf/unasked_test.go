package perf

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestUnaskedCommands: what no perf asks for has an error, or ends, but does not panic.
func TestUnaskedCommands(t *testing.T) {
	cfg, err := parse(strings.Fields("-path tcp -api vipl -op write"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openPassive(t.Context(), cfg, true)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.far.Load().Slice(0, 8).Err(); err == nil {
		t.Error("there is memory of the other side before it has said so")
	}
	if a := p.do(t.Context(), command{Do: "raw event"}); !strings.Contains(a.Err, "no eventfds") {
		t.Errorf("eventfds: %q", a.Err)
	}
}

// TestUnaskedWatch: a peer of -serve asks for what its own settings leave no memory for: the last word of operations that
// are shorter than a word, and the memory of a server of calls, which has none that a peer may access.
func TestUnaskedWatch(t *testing.T) {
	for _, c := range []struct {
		settings, do, want string
	}{
		{"-path tcp -op send -size 1 -mode poll", "watch", "polls no word"},
		{"-path tcp -op send -size 12 -mode poll", "watch", "polls no word"},
		{"-path tcp -op send -size 64 -mode poll -connections 3", "watch", "polls no word"},
		{"-path tcp -op send -size 64 -mode poll -connections 3", "meet", "only VIPL"},
	} {
		t.Run(c.do+" "+c.settings, func(t *testing.T) {
			cfg, err := parse(strings.Fields(c.settings), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			p, err := openPassive(t.Context(), cfg, true)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Connections == 0 {
				unaskedConnection(t, p)
			}
			a := p.do(t.Context(), command{Do: c.do, Terms: make([]byte, mem.RemoteSize)})
			if !strings.Contains(a.Err, c.want) {
				t.Errorf("the answer is %q, want %q in it", a.Err, c.want)
			}
			if err := p.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// unaskedConnection connects to p, which the watch of a word waits for.
func unaskedConnection(t *testing.T, p *passive) {
	a, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	zone, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	region, err := zone.Alloc(64, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	where, err := region.Remote().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Connect(context.WithoutCancel(t.Context()), p.ln.Addr().String(), rdma.ConnConfig{Private: where}); err != nil {
		t.Fatal(err)
	}
}

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
