package peers_test

import (
	"io"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestRiostream: a program that wants zero-copy transfers is told that there is no memory for them.
// The listener goes on.
func TestRiostream(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		ln, port := w.listen(t, rsocket.Config{})
		p := start(t, nil, "riostream", "-s", w.host, "-p", port, "-S", "1000", "-C", "5", "-I", "3")
		c := accept(t, ln)
		// The program is linked with rsockets, and may have ended by now: so nothing tells which files it had open.
		if path := c.LocalAddr().Network(); path != w.path() {
			t.Errorf("the connection is over %s, not %s", path, w.path())
		}
		// It greets before it asks for the memory.
		greeting := make([]byte, 16)
		if _, err := io.ReadFull(c, greeting); err == nil {
			_, _ = c.Write(greeting)
		}
		rest, err := io.ReadAll(c)
		if err != nil || len(rest) > 0 {
			t.Errorf("%d more bytes, %v", len(rest), err)
		}
		must(t, c.Close())
		_ = p.ended()
		if out := p.output.String(); !strings.Contains(out, "Cannot allocate memory") {
			t.Errorf("riostream says %q", out)
		}
		p = start(t, nil, "rsocket-peer", "connect", w.host, port, "send:10", "eof")
		a := actor{c: accept(t, ln)}
		must(t, a.recv(10, 10))
		must(t, a.c.Close())
		p.fine()
	})
}
