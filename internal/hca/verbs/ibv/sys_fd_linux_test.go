package ibv_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestDupNonblock(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	dup, err := ibv.DupNonblock(p[0])
	if err != nil {
		t.Fatal(err)
	}
	// Reading the original does not wait.
	if flags, err := unix.FcntlInt(uintptr(p[0]), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
		t.Fatalf("the original has flags %#x, %v", flags, err)
	}
	if _, err := unix.Read(p[0], make([]byte, 1)); err != ibv.EAGAIN {
		t.Errorf("reading the original: %v", err)
	}
	if flags, err := unix.FcntlInt(uintptr(dup), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the duplicate has flags %#x, %v: programs started would inherit it", flags, err)
	}
	// The duplicate waits under Go's poller: it knows deadlines.
	f := os.NewFile(uintptr(dup), "events")
	if err := f.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("reading the duplicate: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Write(p[1], []byte("x")); err != nil {
		t.Errorf("closing the duplicate closed the original: %v", err)
	}
	if n, err := unix.Read(p[0], make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("the original is gone: %d, %v", n, err)
	}
	if fd, err := ibv.DupNonblock(-1); err == nil || fd != -1 {
		t.Errorf("a duplicate of nothing: %d, %v", fd, err)
	}
}

func TestReadable(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	if ibv.Readable(p[0]) {
		t.Error("an empty pipe can be read")
	}
	if _, err := unix.Write(p[1], []byte("x")); err != nil || !ibv.Readable(p[0]) {
		t.Errorf("a pipe with a byte cannot be read: %v", err)
	}
	if n := testing.AllocsPerRun(100, func() { ibv.Readable(p[0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if _, err := unix.Read(p[0], make([]byte, 1)); err != nil || ibv.Readable(p[0]) {
		t.Errorf("a pipe emptied again can be read: %v", err)
	}
	// A read reports the error.
	unix.Close(p[1])
	if !ibv.Readable(p[0]) || !ibv.Readable(1<<20) {
		t.Error("a pipe without a writer, or no descriptor at all, is not looked into")
	}
}
