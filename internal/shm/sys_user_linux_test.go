package shm_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

const nameVariable = "GODAPL_SHM_NAME"

func init() {
	// "greet" listens, and greets every process that appears to be of its own user.
	roles["greet"] = func() error {
		l, err := shm.Listen(os.Getenv(nameVariable))
		if err != nil {
			fmt.Println(err)
			return nil
		}
		done := untilEnd()
		go func() { <-done; l.Close() }()
		fmt.Println("listening as", os.Getuid())
		for {
			s, err := l.Accept()
			if err != nil {
				return nil
			}
			_ = s.Send([]byte("hello"))
			s.Close()
		}
	}
}

// startGreeter starts the role "greet" in another process, and returns the first line that it prints.
func startGreeter(t *testing.T, name string, attr *syscall.SysProcAttr) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can give a user namespace any map")
	}
	dir := made(os.MkdirTemp("", "godapl-test-"))(t) // any user can read it
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary := filepath.Join(dir, "greeter")
	from := made(os.Open(os.Args[0]))(t)
	defer from.Close()
	to := made(os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755))(t)
	_, err := io.Copy(to, from)
	must(t, errors.Join(err, to.Close(), os.Chmod(dir, 0o755)))
	cmd := exec.Command(binary)
	cmd.Dir, cmd.SysProcAttr, cmd.Stderr = "/", attr, os.Stderr
	cmd.Env = append(os.Environ(), roleVariable+"=greet", nameVariable+"="+name)
	in := made(cmd.StdinPipe())(t)
	out := made(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
			t.Skipf("the system makes no such user namespace: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

// one returns the attributes of a user namespace that maps one user and one group.
func one(inside, outside int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: inside, HostID: outside, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: inside, HostID: outside, Size: 1}},
		Credential:  &syscall.Credential{Uid: uint32(inside), Gid: uint32(inside), NoSetGroups: true},
	}
}

// TestUnmappedUsersAreStrangers: in a user namespace that does not map them, all users
// have the same number. A process that has this number itself greets none of them.
func TestUnmappedUsersAreStrangers(t *testing.T) {
	for what, attr := range map[string]*syscall.SysProcAttr{
		"its user is not mapped":           {Cloneflags: syscall.CLONE_NEWUSER},
		"its user is mapped to that one":   one(65534, 12345),
		"root is mapped to that one there": one(65534, 0),
	} {
		t.Run(what, func(t *testing.T) {
			name := someName(t)
			line := startGreeter(t, name, attr)
			c, err := net.Dial("unixpacket", name)
			if err == nil {
				defer c.Close()
				var b [8]byte
				n, err := c.Read(b[:])
				t.Fatalf("it is there (%q) and says %q, %v, to a process of user 0", line, b[:n], err)
			}
			if !strings.Contains(line, "not mapped") || !strings.Contains(line, "/proc/self/uid_map") {
				t.Errorf("it says no reason: %q", line)
			}
		})
	}
}

// TestMappedUsersMeet: a user namespace is no hindrance where its map tells users apart.
func TestMappedUsersMeet(t *testing.T) {
	name := someName(t)
	if line := startGreeter(t, name, one(7, 0)); line != "listening as 7" {
		t.Fatal(line)
	}
	s := made(shm.Dial(t.Context(), name))(t)
	defer s.Close()
	var b [8]byte
	n, _, err := s.Recv(b[:])
	if string(b[:n]) != "hello" {
		t.Errorf("%q, %v", b[:n], err)
	}
}

// TestAnotherUserOfANamespaceIsAStranger: a number that is the same on both sides is not the
// same user, if the namespaces differ.
func TestAnotherUserOfANamespaceIsAStranger(t *testing.T) {
	name := someName(t)
	if line := startGreeter(t, name, one(0, 12345)); line != "listening as 0" {
		t.Fatal(line)
	}
	_, err := shm.Dial(t.Context(), name)
	wants(t, "Dial", err, shm.ErrOtherUser)
	c := made(net.Dial("unixpacket", name))(t) // net.Dial does not check the user
	defer c.Close()
	var b [8]byte
	if n, err := c.Read(b[:]); n > 0 {
		t.Errorf("it says %q, %v", b[:n], err)
	}
}
