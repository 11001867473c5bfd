package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func descriptorLimit(t *testing.T) int {
	t.Helper()
	var l syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l))
	return int(min(l.Cur, 1<<30))
}

// withLimit lowers a limit of the process until its result is called.
func withLimit(t *testing.T, which int, to uint64) (again func()) {
	t.Helper()
	var old syscall.Rlimit
	must(t, syscall.Getrlimit(which, &old))
	if old.Cur < to {
		t.Skipf("the limit is %d already, and the test wants %d", old.Cur, to)
	}
	must(t, syscall.Setrlimit(which, &syscall.Rlimit{Cur: to, Max: old.Max}))
	return func() { must(t, syscall.Setrlimit(which, &old)) }
}

// inOwnProcess runs the test once more in a process of its own, and reports whether this is the other one, which has
// nothing more to do. Go test's process writes a list of the files and variables that tests use, and fails if it meets a
// limit of the size of files.
func inOwnProcess(t *testing.T) (done bool) {
	t.Helper()
	const own = "GODAPL_TEST_OWN_PROCESS"
	if os.Getenv(own) != "" {
		return false
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), own+"=1")
	out, err := child.CombinedOutput()
	switch {
	case err == nil && strings.Contains(string(out), "--- SKIP: "+t.Name()):
		t.Skipf("in its own process:\n%s", out)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Errorf("in its own process: %v\n%s", err, out)
	}
	return true
}

// withFileSize is a limit of the size of files, those of memory included. See inOwnProcess.
func withFileSize(t *testing.T, to uint64) (again func()) {
	t.Helper()
	return withLimit(t, syscall.RLIMIT_FSIZE, to)
}

// withAddresses leaves room for so many bytes of addresses more than are mapped.
func withAddresses(t *testing.T, room uint64) (again func()) {
	t.Helper()
	var pages uint64
	made(fmt.Sscan(string(made(os.ReadFile("/proc/self/statm"))(t)), &pages))(t)
	return withLimit(t, syscall.RLIMIT_AS, pages*uint64(os.Getpagesize())+room)
}

// wasKilled reports whether a process ended by SIGKILL.
func wasKilled(p *os.ProcessState) bool {
	exit, _ := p.Sys().(syscall.WaitStatus)
	return exit.Signaled() && exit.Signal() == syscall.SIGKILL
}

// hugePagesFree is how many of the default size are.
func hugePagesFree(t *testing.T) (n int) {
	t.Helper()
	for line := range strings.Lines(string(made(os.ReadFile("/proc/meminfo"))(t))) {
		if value, ok := strings.CutPrefix(line, "HugePages_Free:"); ok {
			made(fmt.Sscan(value, &n))(t)
		}
	}
	return n
}

// memoryGroup makes a control group below this process's, with a limit of memory, and
// gives the file that takes the numbers of processes. Not everybody may.
func memoryGroup(t *testing.T, limit int) (procs string) {
	t.Helper()
	own := made(os.ReadFile("/proc/self/cgroup"))(t)
	tried := []string{}
	for line := range strings.Lines(string(own)) { // number:controllers:path
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		root, file := "/sys/fs/cgroup", "memory.max"
		switch {
		case len(part) < 3 || part[1] != "" && part[1] != "memory":
			continue
		case part[1] == "memory":
			root, file = root+"/memory", "memory.limit_in_bytes"
		}
		group := filepath.Join(root, part[2], fmt.Sprintf("godapl-test-%d", os.Getpid()))
		err := os.Mkdir(group, 0o755)
		if err == nil {
			t.Cleanup(func() {
				eventually(t, "the control group is empty", func() bool { return os.Remove(group) == nil })
			})
			err = os.WriteFile(filepath.Join(group, file), []byte(strconv.Itoa(limit)), 0o644)
		}
		if err == nil {
			return filepath.Join(group, "cgroup.procs")
		}
		tried = append(tried, err.Error())
	}
	t.Skip("no control group with a limit of memory can be made here: ", strings.Join(tried, "; "))
	return ""
}
