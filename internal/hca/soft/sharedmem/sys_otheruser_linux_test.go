package sharedmem_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// startOtherUsersServer is startServer for a process of another user, which only root can start.
func startOtherUsersServer(t *testing.T) *server {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	dir, err := os.MkdirTemp("", "godapl-test-") // visible to the other user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	name := filepath.Join(dir, "server")
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close(), os.Chmod(dir, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}}
	return startServerOf(t, cmd, "")
}

// TestUnmappedUsersProcess: a process that cannot distinguish its own user from others shares memory with
// nobody, and is reached over the network.
func TestUnmappedUsersProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	try := exec.Command("/bin/true")
	try.SysProcAttr = cmd.SysProcAttr
	if err := try.Run(); err != nil {
		t.Skipf("the system makes no user namespace without a map: %v", err)
	}
	u := newUser(t, "", nil, startServerOf(t, cmd, ""))
	if u.info.Path != "tcp" {
		t.Fatalf("path %q", u.info.Path)
	}
	u.do(hca.SendWR{Op: hca.OpWrite, Local: u.seg(0, 100), Remote: u.remote, RKey: u.rkey})
}

// TestAnotherUsersProcess: it is found over the network, and the log tells why; without a network path, it is
// not found.
func TestAnotherUsersProcess(t *testing.T) {
	s := startOtherUsersServer(t)
	var log strings.Builder
	u := newUser(t, "", slog.New(slog.NewTextHandler(&log, nil)), s)
	if u.info.Path != "tcp" {
		t.Fatalf("path %q", u.info.Path)
	}
	if !strings.Contains(log.String(), "another user's process") {
		t.Errorf("the log does not say why:\n%s", &log)
	}
	u.do(hca.SendWR{Op: hca.OpWrite, Local: u.seg(0, 100), Remote: u.remote, RKey: u.rkey})

	e := softtest.NewEnd(t, "shm", 16, 4096)
	err := e.QP.Connect(context.Background(), s.address, hca.ConnParams{})
	if !errors.Is(err, hca.Refused) || !strings.Contains(err.Error(), "another user") {
		t.Errorf("over shared memory alone: %v", err)
	}
}
