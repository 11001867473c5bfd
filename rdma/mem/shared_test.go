//go:build linux

package mem_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// shared opens shared memory that goes with the test.
func shared(t *testing.T, n int) (string, *mem.SharedMemory) {
	t.Helper()
	name := fmt.Sprintf("test-%d-%s", os.Getpid(), t.Name())
	s, err := mem.OpenShared(name, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); mem.RemoveShared(name) })
	return name, s
}

func idOf(t *testing.T) (id mem.SharedID) {
	copy(id[:], fmt.Sprintf("%d %s", os.Getpid(), t.Name()))
	return id
}

func TestSharedMemoryIsTheSame(t *testing.T) {
	name, a := shared(t, 100)
	b, err := mem.OpenShared(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	a.Bytes()[99] = 7
	if b.Bytes()[99] != 7 || len(a.Bytes()) != mem.PageSize() {
		t.Fatalf("%d, %d bytes", b.Bytes()[99], len(a.Bytes()))
	}
	if _, err := mem.OpenShared(name, mem.PageSize()+1); !errors.Is(err, hca.Invalid) {
		t.Fatalf("more than there is: %v", err)
	}
	b.Close()
	b.Close()
	if b.Bytes() != nil {
		t.Fatal("bytes after Close")
	}
	for _, bad := range []string{"", ".hidden", "a/b", strings.Repeat("x", 201)} {
		if _, err := mem.OpenShared(bad, 1); !errors.Is(err, hca.Invalid) {
			t.Errorf("name %q: %v", bad, err)
		}
	}
	if _, err := mem.OpenShared(name, 0); !errors.Is(err, hca.Invalid) {
		t.Errorf("no bytes: %v", err)
	}
}

func TestRegisterSharedWantsSharedMemory(t *testing.T) {
	d, _ := newDomain(t)
	_, err := d.RegisterShared(make([]byte, 4096), idOf(t), mem.Local)
	if !errors.Is(err, hca.State) {
		t.Fatalf("the heap: %v", err)
	}
	if _, err := d.RegisterShared(nil, idOf(t), mem.Local); !errors.Is(err, hca.Invalid) {
		t.Fatalf("nothing: %v", err)
	}
}

func TestAnIDStandsForOneRange(t *testing.T) {
	d, _ := newDomain(t)
	name, s := shared(t, 8192)
	id := idOf(t)
	first, err := d.RegisterShared(s.Bytes()[:4096], id, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All); !errors.Is(err, hca.Invalid) {
		t.Fatalf("another part: %v", err)
	}
	other := id
	other[39] = 1 // the last byte counts, behind many zeros
	if r, err := d.RegisterShared(s.Bytes()[4096:], other, mem.All); err != nil {
		t.Fatalf("another id: %v", err)
	} else {
		r.Free()
	}
	// The same memory through another mapping joins.
	again, err := mem.OpenShared(name, 8192)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.RegisterShared(again.Bytes()[:4096], id, mem.All)
	if err != nil {
		t.Fatalf("the same: %v", err)
	}
	// A region keeps its mapping.
	again.Close()
	s.Bytes()[1] = 5
	if b := second.Bytes(); b[1] != 5 {
		t.Fatal("the region has lost the memory")
	}
	first.Free()
	if _, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All); !errors.Is(err, hca.Invalid) {
		t.Fatalf("the second still has it: %v", err)
	}
	second.Free()
	r, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All)
	if err != nil {
		t.Fatalf("nobody has it: %v", err)
	}
	r.Free()
}

// A region that Register made keeps the mapping, too, as Close says.
func TestAnyRegionKeepsItsMapping(t *testing.T) {
	d, _ := newDomain(t)
	name, s := shared(t, 8192)
	first, err := mem.OpenShared(name, 8192)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Register(first.Bytes()[4096:], mem.All)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.RegisterAgain(r, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	r.Free()
	s.Bytes()[4096] = 5
	if again.Bytes()[0] != 5 {
		t.Fatal("the region has lost the memory")
	}
	again.Free()
}

// TestSharedPeer is the other process: it registers, says so, and waits.
func TestSharedPeer(t *testing.T) {
	name := os.Getenv("GODAPL_SHARED_PEER")
	if name == "" {
		t.Skip("the second process of TestAnIDOutlivesItsProcesses")
	}
	var id mem.SharedID
	copy(id[:], os.Getenv("GODAPL_SHARED_ID"))
	d, _ := newDomain(t)
	s, err := mem.OpenShared(name, 8192)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.RegisterShared(s.Bytes()[:4096], id, mem.All)
	fmt.Println("peer:", err)
	s.Bytes()[0]++
	io.Copy(io.Discard, os.Stdin)
}

// peer starts a second process and returns when it has registered.
func peer(t *testing.T, name string, id mem.SharedID) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSharedPeer$")
	cmd.Env = append(os.Environ(), "GODAPL_SHARED_PEER="+name, "GODAPL_SHARED_ID="+strings.TrimRight(string(id[:]), "\x00"))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "peer:") {
	}
	if lines.Text() != "peer: <nil>" {
		t.Fatalf("the peer says %q", lines.Text())
	}
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
		in.Close()
	}
}

func TestAnIDOutlivesItsProcesses(t *testing.T) {
	d, _ := newDomain(t)
	name, s := shared(t, 8192)
	id := idOf(t)
	// The peer is first, we join.
	kill := peer(t, name, id)
	if _, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All); !errors.Is(err, hca.Invalid) {
		t.Fatalf("the peer's id, other memory: %v", err)
	}
	r, err := d.RegisterShared(s.Bytes()[:4096], id, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	kill()
	// It lives on with us, and another may join.
	if _, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All); !errors.Is(err, hca.Invalid) {
		t.Fatalf("after the peer's death: %v", err)
	}
	kill = peer(t, name, id)
	r.Free()
	if _, err := d.RegisterShared(s.Bytes()[4096:], id, mem.All); !errors.Is(err, hca.Invalid) {
		t.Fatalf("the second peer has it: %v", err)
	}
	kill()
	// All are dead: the id is free.
	r, err = d.RegisterShared(s.Bytes()[4096:], id, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	r.Free()
}
