package accepts_test

import (
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/accepts"
)

// TestDue: an end waits for the accepts of other queue pairs whose peers have sent something.
func TestDue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells whether a socket has bytes")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	pair := func() (here, there net.Conn) {
		there, err := net.Dial("tcp", ln.Addr().String())
		if err == nil {
			here, err = ln.Accept()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { here.Close(); there.Close() })
		return here, there
	}
	var s accepts.Set
	spoken, silent, own := new(int), new(int), new(int)
	a, theirs := pair()
	b, _ := pair()
	first, second, third := s.Enter(spoken, a), s.Enter(silent, b), s.Enter(own, a)
	if _, err := theirs.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	first.Await() // and does not take it
	if due := s.Due(own); len(due) != 1 || due[0] != first {
		t.Errorf("%d accepts are due, want the one whose peer has sent something, and not its own", len(due))
	}
	var one [1]byte
	if _, err := a.Read(one[:]); err != nil || one[0] != 'x' {
		t.Errorf("read %q, %v: the byte is no longer there", one, err)
	}
	if due := s.Due(own); len(due) != 1 || due[0] != first {
		t.Errorf("%d accepts are due while the first bytes are handled, want 1", len(due))
	}
	for _, x := range []*accepts.Accept{first, second, third} {
		s.Leave(x)
	}
	if due := s.Due(nil); len(due) != 0 {
		t.Errorf("%d accepts are due, and all have been reported", len(due))
	}
}

// TestWait: it returns when all have been reported, and after a second at the latest.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s accepts.Set
		x, y := s.Enter(1, nil), s.Enter(2, nil)
		began := time.Now()
		time.AfterFunc(100*time.Millisecond, func() { s.Leave(y) })
		time.AfterFunc(200*time.Millisecond, func() { s.Leave(x) })
		s.Wait([]*accepts.Accept{x, y})
		if took := time.Since(began); took != 200*time.Millisecond {
			t.Errorf("waited %v, want until the second was reported, after 200ms", took)
		}
		z, last := s.Enter(3, nil), s.Enter(4, nil)
		began = time.Now()
		s.Wait([]*accepts.Accept{z, last})
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %v for peers that have sent too little, want 1s", took)
		}
	})
}
