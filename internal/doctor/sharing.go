package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// sharing looks at what shared memory between processes needs.
func (e *exam) sharing() {
	e.ptrace()
	switch e.status["Seccomp"] {
	case "1", "2":
		e.Find("seccomp.filter", "", "Seccomp in /proc/self/status is "+e.status["Seccomp"])
	case "0":
		e.Fact("seccomp", "no filter")
	}
	e.user()
}

// noAttach is the ptrace_scope that binds processes with the capability, too.
const noAttach = 3

// ptrace looks whether a process may copy from the memory of another one of its user.
func (e *exam) ptrace() {
	const file = "proc/sys/kernel/yama/ptrace_scope"
	n, ok := sysrdma.Number(e.Root, file)
	found := fmt.Sprintf("kernel.yama.ptrace_scope is %d", n)
	switch {
	case ok && n > 0 && n < noAttach && e.capable(sysPtrace):
		e.Fact("ptrace", found+", but this process has the capability SYS_PTRACE")
	case ok && n > 0:
		e.Find("ptrace.scope", "", found)
	case ok || len(e.status) > 0 && !e.there(file): // a kernel without Yama
		e.Fact("ptrace", "processes of one user may access each other")
	}
}

// user looks whether this user is mapped in its user namespace.
func (e *exam) user() {
	uids := strings.Fields(e.status["Uid"])
	if len(uids) < 2 {
		return
	}
	overflow := textOr(sysrdma.Text(e.Root, "proc/sys/kernel/overflowuid"), "65534")
	if uids[1] == overflow && !mapsAll(e.userMap()) {
		e.Find("userns.overflow", "", "the effective user is "+overflow+", the number of all users that are not mapped")
		return
	}
	e.Fact("user", "user "+uids[1]+" is mapped")
}

// userMap is the map of this process's user namespace.
func (e *exam) userMap() string { return sysrdma.Text(e.Root, "proc/self/uid_map") }

// hostUsers reports whether that namespace seems to be the host's. A kernel without namespaces has no map.
func (e *exam) hostUsers() bool { return e.userMap() == "" || mapsAll(e.userMap()) }

// mapsAll reports whether a map of users covers all 32-bit numbers but the last.
func mapsAll(text string) bool {
	var sum uint64
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 {
			n, _ := strconv.ParseUint(f[2], 10, 64)
			sum += n
		}
	}
	return sum >= 1<<32-1
}
