package peers_test

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// limitFiles sets the number of descriptors that this process may have.
func limitFiles(n uint64) error {
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n})
}

func files() (limit uint64, err error) {
	var r unix.Rlimit
	err = unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return r.Cur, err
}

// openFiles is the number of open descriptors.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		fmt.Println(err)
		return 0
	}
	return len(list) - 1 // the directory's own
}
