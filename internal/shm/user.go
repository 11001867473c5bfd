package shm

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The kernel reports the user of a socket's other end as a number of this process's
// user namespace. All users that the namespace does not map share one number, the
// overflow user. A process that has this number itself cannot distinguish its own user
// from them.

const (
	overflowFile = "/proc/sys/kernel/overflowuid"
	mapFile      = "/proc/self/uid_map"

	overflowUser = 65534     // where the file cannot be read
	allUsers     = 1<<32 - 1 // the number of users that exist
)

// ownUser is the user number of this process, as the kernel reports it to others.
func ownUser() int { return os.Geteuid() }

// tellUsers returns ErrDenied if a process of another user could have this process's
// number.
func tellUsers(op string) error {
	own := ownUser()
	if b, _ := os.ReadFile(overflowFile); own != overflow(string(b)) {
		return nil
	}
	b, err := os.ReadFile(mapFile)
	if mapsAll(string(b)) || errors.Is(err, os.ErrNotExist) && haveProc() { // a kernel without user namespaces
		return nil
	}
	return fail(op, ErrDenied, fmt.Sprintf(
		"this process runs as user %d, which in its user namespace stands for all users that are not mapped (see %s): map its user to a number of its own", own, mapFile), nil)
}

func haveProc() bool {
	_, err := os.Stat("/proc/self/status")
	return err == nil
}

func overflow(file string) int {
	if n, err := strconv.Atoi(strings.TrimSpace(file)); err == nil {
		return n
	}
	return overflowUser
}

// mapsAll reports whether a user namespace's map has all users.
func mapsAll(file string) bool {
	users := uint64(0)
	for line := range strings.Lines(file) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return false
		}
		n, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil {
			return false
		}
		users += n
	}
	return users == allUsers
}
