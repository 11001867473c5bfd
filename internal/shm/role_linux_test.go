package shm_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// A helper is a process of this test binary that plays a role. It has shared memory as
// descriptor 3, an event to ring as 4, its own event as 5, and ends when its input
// ends.
type helper struct {
	cmd  *exec.Cmd
	in   io.Closer
	seg  *shm.Segment
	mine *shm.Park

	theirs int
	killed bool
}

func startRole(t testing.TB, role string, size int) *helper {
	t.Helper()
	return startRoleWith(t, role, size, func([]byte) {})
}

// startRoleWith prepares the memory first.
func startRoleWith(t testing.TB, role string, size int, prepare func(mem []byte)) *helper {
	t.Helper()
	seg := made(shm.NewSegment(role, size, 0))(t)
	mine := made(shm.NewPark())(t)
	theirs := made(shm.NewEvent())(t)
	prepare(seg.Bytes())
	h := &helper{cmd: exec.Command(os.Args[0]), seg: seg, mine: mine, theirs: theirs}
	h.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	h.cmd.Stderr = os.Stderr
	for _, fd := range []int{seg.FD(), mine.FD(), theirs} {
		f := os.NewFile(uintptr(dupFD(t, fd)), "")
		defer f.Close()
		h.cmd.ExtraFiles = append(h.cmd.ExtraFiles, f)
	}
	h.in = made(h.cmd.StdinPipe())(t)
	must(t, h.cmd.Start())
	t.Cleanup(func() {
		h.in.Close()
		if err := h.cmd.Wait(); err != nil && !t.Failed() && !h.killed {
			t.Error(err)
		}
		seg.Close()
		mine.Close()
		shm.CloseFD(theirs)
	})
	return h
}

func (h *helper) kill() {
	h.killed = true
	h.cmd.Process.Kill()
}

// shared is the memory in a helper.
func shared() ([]byte, error) {
	f, err := shm.OpenFile(3)
	if err != nil {
		return nil, err
	}
	m, err := f.Map(0, int(f.Size()), shm.ReadWrite)
	if err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

// untilEnd closes a channel when the test closes the helper's input.
func untilEnd() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	return done
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
