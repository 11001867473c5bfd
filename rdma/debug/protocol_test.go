package debug

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/rsocket"
)

// opened is two adapters, which the viewer shows.
func opened(t *testing.T) (v *viewer, a, b *rdma.Adapter) {
	t.Helper()
	var both [2]*rdma.Adapter
	for i := range both {
		var err error
		if both[i], err = rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { both[i].Close() })
	}
	return &viewer{adapters: both[:]}, both[0], both[1]
}

// told looks until a row has the protocol's line and the note.
func told(t *testing.T, v *viewer, line, note string) {
	t.Helper()
	var last []Conn
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); runtime.Gosched() {
		last = last[:0]
		for _, c := range v.take(time.Now()).Conns {
			if last = append(last, c); c.Protocol == line && strings.HasSuffix(c.Note, note) && (note == "") == (c.Note == "") {
				return
			}
		}
	}
	for _, c := range last {
		t.Errorf("told %q, note %q, want %q and %q", c.Protocol, c.Note, line, note)
	}
}

// TestMailboxesTell: the page says how full a mailbox is, and that a call of a sender waits for room in it.
func TestMailboxesTell(t *testing.T) {
	v, a, b := opened(t)
	box, err := mailbox.Listen(t.Context(), b, "127.0.0.1:0", mailbox.Config[int64, int64]{Depth: 2, Window: 4, Asks: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	to, err := mailbox.Dial(t.Context(), a, box.Addr().String(), mailbox.DialConfig[int64, int64]{Window: 4, Asks: 8, Async: true})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	told(t, v, "mailbox sender: 0 of 4 values under way, 0 of 8 asks unanswered", "")
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for to.Send(ctx, 1) == nil { // until the mailbox is full
		}
	}()
	told(t, v, "mailbox sender: 4 of 4 values under way, 0 of 8 asks unanswered", "a call waits for room in the mailbox: its program takes too few messages")
	told(t, v, "mailbox: 2 of 2 messages in it, 0 of 8 asks of this sender unanswered", "the mailbox is full: the program takes too few messages")
	cancel()
	<-sent
	go func() {
		for range box.C() {
		}
	}()
	told(t, v, "mailbox: 0 of 2 messages in it, 0 of 8 asks of this sender unanswered", "")
}

// TestStreamsTell: the page says how much a stream has under way, and that a Write waits for a peer that does not
// read.
func TestStreamsTell(t *testing.T) {
	v, a, b := opened(t)
	cfg := rsocket.Config{Ring: 4096, MaxRing: 4096, Messages: 16}
	ln, err := rsocket.Listen(t.Context(), b, "127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := ln.Accept()
		accepted <- c
	}()
	c, err := (&rsocket.Dialer{Adapter: a, Config: cfg}).DialContext(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	peer := <-accepted
	defer peer.Close()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = c.Write(make([]byte, 1<<20))
	}()
	told(t, v, "rsocket: 2 of 12 messages that the peer has not read, room for 0 bytes in the next one", "a Write waits for the peer's program to read")
	c.Close()
	<-written
}
