package shm

import (
	"bytes"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// sysMappings counts this process's mappings, and reads the limit. Without /proc it returns
// no mappings and the kernel's default limit.
func sysMappings() (all, most int) {
	return countMappings(), sysMostMappings()
}

func sysMostMappings() int {
	const usual = 65530
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		return usual
	}
	if n, err := strconv.Atoi(string(bytes.TrimSpace(text))); err == nil && n > 0 {
		return n
	}
	return usual
}

// mapsText is the buffer of countMappings: allocated before, since there may be no
// memory when it is needed.
var mapsText struct {
	sync.Mutex
	b [64 << 10]byte
}

func countMappings() (n int) {
	fd, err := unix.Open("/proc/self/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer CloseFD(fd)
	mapsText.Lock()
	defer mapsText.Unlock()
	for {
		k, err := unix.Read(fd, mapsText.b[:])
		switch {
		case err == unix.EINTR:
		case err != nil || k <= 0:
			return n
		default:
			n += bytes.Count(mapsText.b[:k], []byte("\n"))
		}
	}
}

// MostDescriptors returns how many descriptors this process may have open.
func MostDescriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30))
}
