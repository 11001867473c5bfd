package peers_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/iwarp"
)

// Ten thousand peers try to connect at once, and most of them never send a valid request. The server is a
// process of its own (see flooded_linux_test.go), so that its resources can be told from theirs.

const attempts = 10_000

func TestFlood(t *testing.T) {
	for name, limit := range map[string]uint64{"plenty of descriptors": 0, "200 descriptors": 200} {
		t.Run(name, func(t *testing.T) {
			v := startFlooded(t, limit)
			before := v.stats(t)
			other := v.connect(t, "bystander")
			var f flood
			f.run(t, v, func() {
				other.read(t)
				v.stats(t).bounded(t, before)
			}, func() {
				// All of them are there. One more gets through, if there are descriptors for it.
				if limit == 0 {
					v.connect(t, "honest").read(t)
				}
			})
			t.Logf("of %d attempts %d were connected, %d of them got a reply; at most %v", attempts, f.dialled.Load(), f.answered.Load(), v.most)
			other.read(t)
			v.connect(t, "honest").read(t)
			v.settled(t, before)
			v.stop(t)
		})
	}
}

// flood is the ten thousand peers.
type flood struct {
	dialled, answered atomic.Int32
}

// run starts them all. It calls meanwhile again and again, and full when all have connected and none has left.
func (f *flood) run(t *testing.T, v *flooded, meanwhile, full func()) {
	limit, err := files()
	if err != nil {
		t.Fatal(err)
	}
	places := make(chan struct{}, min(attempts, int(limit)-500))
	if cap(places) < attempts {
		t.Logf("%d at once, since this process may have %d descriptors only", cap(places), limit)
	}
	var come, left sync.WaitGroup
	leave := make(chan struct{})
	come.Add(attempts)
	for i := range attempts {
		places <- struct{}{}
		left.Go(func() {
			defer func() { <-places }()
			f.attempt(t, v.address, i, leave, come.Done)
		})
		if i == cap(places)-1 && i < attempts-1 {
			close(leave) // they make room for the others
		}
	}
	all := make(chan struct{})
	go func() { come.Wait(); close(all) }()
	for waiting := true; waiting; {
		meanwhile()
		select {
		case <-all:
			waiting = false
		default:
		}
	}
	full()
	meanwhile()
	select {
	case <-leave:
	default:
		close(leave)
	}
	left.Wait()
}

// attempt is one of them.
func (f *flood) attempt(t *testing.T, address string, i int, leave chan struct{}, come func()) {
	defer context.AfterFunc(t.Context(), come)()
	var d net.Dialer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		come()
		return // it was not accepted in time
	}
	f.dialled.Add(1)
	defer conn.Close()
	request, _ := iwarp.AppendRequest(nil, &plain1)
	switch i % 5 {
	case 0: // sends nothing
	case 1:
		_, _ = conn.Write(request[:i%len(request)])
	case 2:
		_, _ = conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	case 3:
		_, _ = conn.Write(request)
	case 4: // closes at once
		_ = conn.(*net.TCPConn).SetLinger(0)
		come()
		return
	}
	come()
	stop := context.AfterFunc(t.Context(), func() { _ = conn.Close() })
	defer stop()
	gone := make(chan struct{})
	defer func() { _ = conn.Close(); <-gone }()
	go func() {
		defer close(gone)
		var b [1]byte
		if n, _ := conn.Read(b[:]); n > 0 {
			f.answered.Add(1)
		}
	}()
	<-leave
}

// A guest is connected to the server, and reads its memory.
type guest struct {
	*peer
	stag iwarp.STag
	to   uint64
}

// connect retries until it is accepted, for a bounded time.
func (v *flooded) connect(t *testing.T, as string) *guest {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		p := dial(t, v.address)
		f := plain1
		f.Private = []byte(as)
		p.sendRequest(f)
		reply, err := p.frame(iwarp.ParseReply)
		if err == nil && !reply.Reject {
			g := &guest{peer: p, stag: iwarp.STag(binary.BigEndian.Uint32(reply.Private)), to: binary.BigEndian.Uint64(reply.Private[4:])}
			return g
		}
		_ = p.conn.Close()
		if time.Now().After(deadline) {
			t.Fatalf("%s was not let in: %v", as, err)
		}
	}
}

// read shows that the connection works.
func (g *guest) read(t *testing.T) {
	t.Helper()
	g.write(readRequest(g.request, g.stag, g.to, 8))
	g.request++
	if s, err := g.next(); err != nil || s.Op != iwarp.OpReadResponse || string(s.Payload) != "all well" {
		t.Fatalf("the server answered with %v %q, %v", s.Op, s.Payload, err)
	}
}

// stats are the resources that the server's process holds.
type stats struct{ goroutines, memory, files int }

func (s stats) String() string {
	return fmt.Sprintf("%d goroutines, %d KiB, %d descriptors", s.goroutines, s.memory>>10, s.files)
}

// bounded fails if these have grown by more than 256 half-open streams and a backlog need.
func (s stats) bounded(t *testing.T, before stats) {
	t.Helper()
	if more := s.goroutines - before.goroutines; more > 2*256 {
		t.Errorf("%d goroutines more", more)
	}
	if more := s.memory - before.memory; more > 32<<20 {
		t.Errorf("%d bytes more", more)
	}
	if more := s.files - before.files; more > 2*256 {
		t.Errorf("%d descriptors more", more)
	}
}
