package ibv_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestNonblock(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	if err := ibv.Nonblock(p[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Read(p[0], make([]byte, 1)); err != ibv.EAGAIN {
		t.Errorf("reading: %v", err)
	}
	if ibv.Nonblock(-1) == nil {
		t.Error("no descriptor does not block")
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
