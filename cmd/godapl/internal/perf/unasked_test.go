package perf

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

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
				if err := unaskedConnections(t, p, 1); err != nil {
					t.Fatal(err)
				}
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

// unaskedConnections connects n times to p, and returns the first error.
func unaskedConnections(t *testing.T, p *passive, n int) error {
	a, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	zone, err := a.NewZone()
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
	for range n {
		e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Connect(t.Context(), p.ln.Addr().String(), rdma.ConnConfig{Private: where}); err != nil {
			return err
		}
	}
	return nil
}

// TestUnaskedConnections: a peer of -serve makes as many connections as its settings say, and no more.
func TestUnaskedConnections(t *testing.T) {
	for _, settings := range []string{"-endpoints 3", "-connections 3"} {
		cfg, err := parse(strings.Fields("-path tcp -op send -size 64 "+settings), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		p, err := openPassive(t.Context(), cfg, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := unaskedConnections(t, p, 4); !errors.Is(err, rdma.ErrRejected) {
			t.Errorf("%s: one connection more: %v", settings, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		// What no peer sends does not come; the end of this side does.
		if a := p.do(ctx, command{Do: "taken", Messages: 1}); !strings.Contains(a.Err, "more than 3 connections") {
			t.Errorf("%s: this side says %q", settings, a.Err)
		}
		cancel()
		_ = p.close() // the same error
	}
}
