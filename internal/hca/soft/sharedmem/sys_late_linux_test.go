package sharedmem

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// detached is a socket that gives its descriptor away.
type detached struct {
	neighbour.Socket
	fd int
}

func (s detached) Detach() (int, error) { return s.fd, nil }

// loneQP makes a queue pair of an adapter.
func loneQP(t *testing.T, a *core.Adapter) *core.QP {
	t.Helper()
	pd, err := a.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	cq, err := a.NewCQ(hca.CQConfig{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	q, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq})
	if err != nil {
		t.Fatal(err)
	}
	return q.(*core.QP)
}

// TestALateEventOfAFailedConnection: the poller has an event of the socket in hand when the connection fails. It does not
// read from the file that has the socket's descriptor by then.
func TestALateEventOfAFailedConnection(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	p := NewPath(a, nil)
	defer a.Shutdown(p.Close)
	q := loneQP(t, a)
	must(q.Open("test", nil))
	c, err := p.newConn(q)
	must(err)
	seg, err := shm.NewSegment("test", segmentSize, 0)
	must(err)
	must(c.attach(seg, 0, new(neighbour.Hello)))
	first, err := neighbour.SocketPair()
	must(err)
	defer shm.CloseFD(first[1])
	q.End(hca.EventDisconnected, nil)
	if c.join(detached{fd: first[0]}, new(neighbour.Hello), hca.ConnInfo{}) == nil {
		t.Fatal("it is connected")
	}
	next, err := neighbour.SocketPair()
	must(err)
	defer shm.CloseFDs(next[:])
	if next[0] != first[0] {
		must(unix.Dup3(next[0], first[0], unix.O_CLOEXEC))
		defer shm.CloseFD(first[0])
	}
	must(shm.SendFD(next[1], []byte("theirs")))
	(&sockHandler{c}).Event(unix.EPOLLIN)
	var b [8]byte
	if n, _, err := shm.RecvFD(next[0], b[:]); string(b[:n]) != "theirs" {
		t.Errorf("its owner reads %q: %v", b[:n], err)
	}
}
