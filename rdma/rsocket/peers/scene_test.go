package peers_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// A scene is what both sides of a connection do, in steps. Those of the C side are described in
// testdata/peer.c; ours are the same, and some more.
//
// When a C side on siw closes, or ends its direction after ours has ended, what its TCP has not sent yet is lost if
// something of ours arrives after that, such as the notice of bytes that we have read. So it first waits for us: for
// a byte, or, where our direction has ended, until it is told beside the connection.
type scene struct {
	name   string
	cfg    rsocket.Config
	theirs string
	ours   string
	killed bool // the C side ends by a signal
}

var scenes = []scene{
	{name: "echo", theirs: "recv:100000 send:100000 eof", ours: "send:100000 recv:100000"},
	{name: "they close", theirs: "send:100000 recv:1", ours: "recv:100000 send:1 eof"},
	{name: "their half-close first", theirs: "send:100000 shut recv:100000 eof", ours: "recv:100000 eof send:100000"},
	{name: "our half-close first", theirs: "recv:100000 eof send:100000 told shut", ours: "send:100000 shut recv:100000 tell eof"},
	// C drops what the device has not sent yet when the end of the other side arrives while it sends its own.
	{name: "half-close of both", theirs: "send:10 recv:10 shut eof", ours: "send:10 recv:10 shut end"},
	{name: "both ways at once", theirs: "both:1000000 recv:1", ours: "both:1000000 send:1 eof"},
	{name: "both ways at once, small", cfg: small, theirs: "both:300000 recv:1", ours: "both:300000 send:1 eof"},
	{name: "one byte at a time", theirs: "slow:800 bytes:800 recv:1", ours: "bytes:800 slow:800 send:1 eof"},
	// More messages than there are receives: C's own client breaks here on siw.
	{name: "they sleep", theirs: "sleep:1500 recv:1000", ours: "bytes:1000 eof"},
	{name: "nothing is read", theirs: "recv:1 sleep:2000 recv:1", ours: "send:1 full"},
	{name: "keepalive", theirs: "keep:1 send:1 sleep:2500 send:1 recv:1", ours: "recv:2 send:1 eof"},
	{name: "they are killed", theirs: "send:4 recv:4 die", ours: "recv:4 send:4 reset", killed: true},
}

// TestScenes plays each scene with the C side in both roles.
func TestScenes(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for i, s := range scenes {
			for k, role := range []string{"connect", "listen"} {
				t.Run(s.name+"/they "+role, func(t *testing.T) {
					w.turn(t, i+k)
					s.play(t, w, role)
				})
			}
		}
	})
}

func (s *scene) play(t *testing.T, w *world, role string) {
	meet := w.accept
	if role == "listen" {
		meet = w.dial
	}
	c, p := meet(t, s.cfg, func(port string) *program {
		return startTold(t, "rsocket-peer", append([]string{role, w.host, port}, strings.Fields(s.theirs)...)...)
	})
	s.ourPart(t, c, p.tell)
	p.end(s)
}

// ourPart plays our side of a connection, and closes it. tell tells the C side to go on, if it waits for that.
func (s *scene) ourPart(t *testing.T, c *rsocket.Conn, tell func() error) {
	t.Helper()
	a := actor{c: c, tell: tell}
	for _, step := range strings.Fields(s.ours) {
		if err := a.play(step); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	_ = c.Close()
}

// end waits for the end that a scene has for the program.
func (p *program) end(s *scene) {
	p.t.Helper()
	if !s.killed {
		p.fine()
	} else if p.ended() == nil {
		p.t.Error("the program was not killed")
	}
}

// An actor is our side.
type actor struct {
	c         *rsocket.Conn
	tell      func() error
	sent, got counting8
}

func (a *actor) play(step string) error {
	kind, number, _ := strings.Cut(step, ":")
	n, _ := strconv.Atoi(number)
	one := make([]byte, 1)
	switch kind {
	case "send":
		return a.send(n, n)
	case "bytes":
		return a.send(n, 1)
	case "recv":
		return a.recv(n, n)
	case "slow":
		return a.recv(n, 1)
	case "both":
		done := make(chan error)
		go func() { done <- a.send(n, 100_000) }()
		err := a.recv(n, 10_000)
		return errors.Join(err, <-done)
	case "shut":
		return a.c.CloseWrite()
	case "eof":
		if n, err := a.c.Read(one); n != 0 || err != io.EOF {
			return fmt.Errorf("%d, %v instead of the end", n, err)
		}
		return nil
	case "end":
		if n, err := a.c.Read(one); n != 0 || err != io.EOF && !errors.Is(err, rsocket.ErrReset) {
			return fmt.Errorf("%d, %v instead of an end", n, err)
		}
		return nil
	case "reset":
		if _, err := a.c.Read(one); !errors.Is(err, rsocket.ErrReset) {
			return fmt.Errorf("%v instead of a reset", err)
		}
		return nil
	case "full":
		return a.full()
	case "tell":
		return a.tell()
	}
	return fmt.Errorf("unknown step")
}

func (a *actor) send(n, piece int) error {
	b := make([]byte, piece)
	for ; n > 0; n -= len(b) {
		b = b[:min(n, piece)]
		a.sent.fill(b)
		if _, err := a.c.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func (a *actor) recv(n, piece int) error {
	b := make([]byte, piece)
	for n > 0 {
		got, err := a.c.Read(b[:min(n, piece)])
		if err != nil {
			return err
		}
		if !a.got.matches(b[:got]) {
			return fmt.Errorf("other bytes than were sent")
		}
		n -= got
	}
	return nil
}

// full writes until the peer, which does not read, has no more room.
func (a *actor) full() error {
	b := make([]byte, 1<<20)
	a.sent.fill(b)
	if err := a.c.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		return err
	}
	if n, err := a.c.Write(b); n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("wrote %d bytes, %v", n, err)
	}
	return nil
}

// TestManyAtOnce: many processes connect at the same time.
func TestManyAtOnce(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		ln, port := w.listen(t, small)
		many := 30
		if testing.Short() {
			many = 10
		}
		programs := make([]*program, many)
		for i := range programs {
			programs[i] = start(t, nil, "rsocket-peer", "connect", w.host, port, "send:10000", "recv:10000", "eof")
		}
		conns := make([]*rsocket.Conn, many)
		for i := range conns {
			conns[i] = accept(t, ln)
		}
		for _, p := range programs { // which wait for the answer
			if err := p.overRDMA(); err != nil {
				t.Error(err)
			}
		}
		done := make(chan error)
		for _, c := range conns {
			go func() {
				a := actor{c: c}
				done <- errors.Join(a.recv(10000, 10000), a.send(10000, 10000), c.Close())
			}()
		}
		for _, p := range programs {
			if err := <-done; err != nil {
				t.Error(err)
			}
			p.fine()
		}
	})
}
