package integration_test

import (
	"os"
	"syscall"
	"testing"
)

func stopProcess(t *testing.T, p *os.Process) {
	t.Helper()
	must(t, p.Signal(syscall.SIGSTOP))
	eventually(t, "the peer is stopped", func() bool { return allStopped(p.Pid) })
}

func continueProcess(t *testing.T, p *os.Process) {
	t.Helper()
	must(t, p.Signal(syscall.SIGCONT))
}
