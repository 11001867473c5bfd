package integration_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

func descriptorLimit(t *testing.T) int {
	t.Helper()
	var l syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l))
	return int(min(l.Cur, 1<<30))
}

// withDescriptors leaves room for so many descriptors more than are open, until
// its result is called. Numbers are given from the lowest that is free, so holes
// are filled first.
func withDescriptors(t *testing.T, room int) (again func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old))
	open := map[int]bool{}
	list := made(os.ReadDir("/proc/self/fd"))(t)
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
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(limit), Max: old.Max}))
	return func() { must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old)) }
}
