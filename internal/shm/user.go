package shm

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The kernel tells whose the other end of a socket is by a number of this process's user
// namespace. All users that the namespace does not map are one number there, the overflow
// user. A process that has that number itself cannot tell any of them from its own user.

const (
	overflowFile = "/proc/sys/kernel/overflowuid"
	mapFile      = "/proc/self/uid_map"

	overflowUser = 65534     // where the file cannot be read
	allUsers     = 1<<32 - 1 // as many as there are
)

// ownUser is the number by which the kernel tells others of this process.
func ownUser() int { return os.Geteuid() }

// tellUsers is an error, ErrDenied, if another user's process could have this one's number.
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

// mapsAll is whether a user namespace's map leaves no user out.
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
