package neighbour_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// TestAServiceHasOneOwner: of a machine, whichever of its names is used, and only as long as it is served.
func TestAServiceHasOneOwner(t *testing.T) {
	var m neighbour.Machine = neighbour.System{}
	for host, want := range map[string]bool{"192.0.2.1": false, "": true, "localhost": true, "127.0.0.1": true} {
		if _, here := m.Name(host); here != want {
			t.Errorf("%q is this machine: %v", host, here)
		}
	}
	service := uint64(os.Getpid())<<20 | 1
	l, err := m.Serve("", service)
	if errors.Is(err, shm.ErrUnsupported) || errors.Is(err, shm.ErrDenied) {
		t.Skip("the system has no such sockets: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	again, _ := m.Name("localhost")
	if _, err := m.Serve(again, service); !errors.Is(err, shm.ErrInUse) {
		t.Errorf("a second owner: %v", err)
	}
	type accepted struct {
		s   neighbour.Socket
		err error
	}
	in := make(chan accepted, 1)
	go func() {
		s, err := l.Accept()
		in <- accepted{s, err}
	}()
	a, err := m.Find(context.Background(), "127.0.0.1", service)
	if err != nil {
		t.Fatal(err)
	}
	b := <-in
	if b.err != nil {
		t.Fatal(b.err)
	}
	own := fmt.Sprintf("pid-%d:0", os.Getpid())
	for _, s := range []neighbour.Socket{a, b.s} {
		if local, remote := s.Names(); local != own || remote != own {
			t.Errorf("%q and %q, want %q", local, remote, own)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.Find(context.Background(), "", service); !errors.Is(err, shm.ErrNobody) {
		t.Errorf("behind the end: %v", err)
	}
}

// TestASocketPairIsOneConnection: what one side writes, the other one reads, with a descriptor of its own.
func TestASocketPairIsOneConnection(t *testing.T) {
	fds, err := neighbour.SocketPair()
	if errors.Is(err, shm.ErrUnsupported) {
		t.Skip("the system has no such sockets: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	event, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	again, err := neighbour.DupFD(event)
	if err != nil {
		t.Fatal(err)
	}
	if err := shm.SendFD(fds[0], []byte{7}, again); err != nil {
		t.Fatal(err)
	}
	shm.CloseFD(again)
	var b [2]byte
	n, got, err := shm.RecvFD(fds[1], b[:])
	if err != nil || n != 1 || b[0] != 7 || len(got) != 1 {
		t.Fatal(n, got, err)
	}
	if err := shm.Signal(got[0]); err != nil || !shm.Drain(event) {
		t.Errorf("it is not the same event: %v", err)
	}
	for _, fd := range []int{event, got[0], fds[0], fds[1]} {
		shm.CloseFD(fd)
	}
}
