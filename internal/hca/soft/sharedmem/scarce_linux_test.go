package sharedmem_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// mostRoom is more descriptors than either side of a connection takes.
const mostRoom = 20

// scarce is an adapter over shared memory alone, in a process that has few descriptors now and then.
type scarce struct {
	t  testing.TB
	a  hca.Adapter
	pd hca.PD
	cq hca.CQ
}

func newScarce(t testing.TB) *scarce {
	t.Helper()
	a, err := soft.Driver("shm").Open(context.Background(), "soft-shm", hca.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	pd, err := a.NewPD()
	cq, err2 := a.NewCQ(hca.CQConfig{Depth: 64})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return &scarce{t, a, pd, cq}
}

func (s *scarce) newQP() hca.QP {
	s.t.Helper()
	qp, err := s.a.NewQP(hca.QPConfig{PD: s.pd, SendCQ: s.cq, RecvCQ: s.cq, SendDepth: 2, RecvDepth: 2, Event: func(hca.ConnEvent) {}})
	if err != nil {
		s.t.Fatal(err)
	}
	return qp
}

// with calls f with room for no descriptor, for one and so on, until f succeeds. Before that the error is to be a lack of
// resources.
func (s *scarce) with(prepare func() (f func() error)) {
	s.t.Helper()
	for room := range mostRoom {
		f := prepare()
		again := softtest.WithDescriptors(s.t, room)
		err := f()
		again()
		switch {
		case err == nil:
			return
		case !errors.Is(err, hca.Resources):
			s.t.Errorf("with room for %d descriptors: %v", room, err)
		}
	}
	s.t.Errorf("%d descriptors are not enough", mostRoom-1)
}

// TestDialWithoutDescriptors: whatever a process that dials lacks descriptors for, the peer has not refused it, and can be
// reached.
func TestDialWithoutDescriptors(t *testing.T) {
	s := newScarce(t)
	s.with(func() func() error {
		peer, qp := startServer(t, "shm"), s.newQP() // one server for each, since it ends if an accept fails
		return func() error { return qp.Connect(t.Context(), peer.address, hca.ConnParams{}) }
	})
}

// TestListenWithoutDescriptors: a process that lacks descriptors may have some later.
func TestListenWithoutDescriptors(t *testing.T) {
	s := newScarce(t)
	s.with(func() func() error {
		return func() error {
			ln, err := s.a.Listen(t.Context(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(hca.ConnRequest) bool { return false }})
			if err == nil {
				ln.Close()
			}
			return err
		}
	})
}

// TestAcceptWithoutDescriptors: a process that lacks them when it accepts does not say that the peer has given up.
func TestAcceptWithoutDescriptors(t *testing.T) {
	s := newScarce(t)
	requests := make(chan hca.ConnRequest)
	ln, err := s.a.Listen(t.Context(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() {
			select {
			case requests <- r:
			case <-t.Context().Done():
			}
		}()
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=dial", addressesVariable+"="+strings.Repeat(ln.Addr()+" ", mostRoom))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	s.with(func() func() error {
		r, qp := <-requests, s.newQP()
		return func() error { return r.Accept(t.Context(), qp, hca.ConnParams{}) }
	})
}

// TestLimitedFiles: a process whose files may not be as large as the memory that it would share (ulimit -f) is reached, and
// reaches others, over the network.
func TestLimitedFiles(t *testing.T) {
	const limited = denyVariable + "=large files"
	t.Run("listener", func(t *testing.T) {
		if u := newUser(t, "", nil, startServer(t, "", limited)); u.info.Path != "tcp" {
			t.Errorf("path %q", u.info.Path)
		}
	})
	t.Run("dialer", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"=dial", limited, addressesVariable+"="+startServer(t, "").address)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{`"" connect path=tcp`, "insufficient resources: 4194304 bytes are more than the limit of a file's size (ulimit -f)"} {
			if !strings.Contains(string(out), line) {
				t.Errorf("no %q in\n%s", line, out)
			}
		}
	})
}
