package softtest

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// WithDescriptors leaves this process room for so many descriptors more than are open, until its result is called.
// Numbers are given from the lowest that is free, so holes are filled first.
func WithDescriptors(t testing.TB, room int) (again func()) {
	t.Helper()
	var old unix.Rlimit
	list, err := os.ReadDir("/proc/self/fd")
	if err = errors.Join(err, unix.Getrlimit(unix.RLIMIT_NOFILE, &old)); err != nil {
		t.Fatal(err)
	}
	open := map[int]bool{}
	for _, e := range list {
		n, _ := strconv.Atoi(e.Name())
		open[n] = true
	}
	limit := 0
	for ; room > 0 || open[limit]; limit++ {
		if !open[limit] {
			room--
		}
	}
	set := func(l *unix.Rlimit) {
		t.Helper()
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, l); err != nil {
			t.Fatal(err)
		}
	}
	set(&unix.Rlimit{Cur: uint64(limit), Max: old.Max})
	return func() { set(&old) }
}
