package integration_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const stoppedSize = 1 << 20

// writeUntilEnd is the peer process of TestStoppedPeer: it writes to the given memory until a
// write is refused, and prints that.
func writeUntilEnd(ctx context.Context, adapter, address string) error {
	return withLent(ctx, adapter, address, stoppedSize, func(conn *rdma.Conn, own *mem.Region, there mem.Remote) error {
		for i := range own.Bytes()[64:] {
			own.Bytes()[64+i] = 0xee
		}
		for i := 0; ; i++ {
			if _, err := conn.Write(ctx, own.Slice(64, stoppedSize/2), there.Slice(0, stoppedSize/2)); err != nil {
				break
			}
			if i == 10 {
				fmt.Println("writing")
			}
		}
		fmt.Println("over")
		return nil
	})
}

// withLent is a peer process: it connects, waits for the description of the memory that it may
// write to, and runs work with that memory and memory of its own.
func withLent(ctx context.Context, adapter, address string, size int, work func(conn *rdma.Conn, own *mem.Region, there mem.Remote) error) error {
	a, err := rdma.Open(ctx, adapter, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer a.Close()
	zone, err := a.NewZone()
	if err != nil {
		return err
	}
	region, err := zone.Alloc(size, mem.All)
	if err != nil {
		return err
	}
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone})
	if err != nil {
		return err
	}
	if err := e.PostRecv(rdma.Recv{Into: region.Slice(0, 64)}); err != nil {
		return err
	}
	conn, err := e.Connect(ctx, address, rdma.ConnConfig{})
	if err != nil {
		return err
	}
	got, _, err := conn.RecvCompletions().Wait(ctx, 1)
	if err != nil {
		return err
	}
	var there mem.Remote
	if err := there.UnmarshalBinary(region.Bytes()[:got.Length]); err != nil {
		return err
	}
	return work(conn, region, there)
}

// TestStoppedPeer stops a peer process while it writes to memory, and takes the
// memory back: by unbinding the window, or by freeing the region while another
// one is over the same memory. These calls do not wait long for the peer. When the peer
// continues, it does not change the memory. If it was stopped inside a copy, it loses its
// connection; other connections are not affected.
func TestStoppedPeer(t *testing.T) {
	here := newSide(t, open(t, "soft-shm"), stoppedSize)
	ln := made(here.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	others := bystand(t, here.adapter)
	inside := 0
	const rounds = 6
	for round := range rounds {
		if stoppedPeer(t, here, ln, others, round%2 == 0) {
			inside++
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d of %d peers were stopped inside of a copy", inside, rounds)
}

func stoppedPeer(t *testing.T, here *side, ln *rdma.Listener, others *bystander, unbind bool) (inside bool) {
	t.Helper()
	ctx := within(t)
	// lent is the region that the peer gets; kept is another region over the same memory.
	lent := made(here.zone.Alloc(stoppedSize, mem.All))(t)
	kept := made(here.zone.RegisterAgain(lent, mem.Local))(t)
	defer kept.Free()

	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), peerVariable+"=write soft-shm "+ln.Addr().String())
	p.Stderr = os.Stderr
	stdin := made(p.StdinPipe())(t)
	out := bufio.NewReader(made(p.StdoutPipe())(t))
	must(t, p.Start())
	reaped := false
	reap := func() {
		if !reaped {
			reaped = true
			p.Process.Kill()
			p.Wait()
			stdin.Close()
		}
	}
	defer reap()

	var request *rdma.ConnRequest
	select {
	case request = <-ln.Requests():
	case <-ctx.Done():
		t.Fatal("the peer process did not connect")
	}
	conn := made(request.Accept(ctx, rdma.EndpointConfig{Zone: here.zone}))(t)
	defer conn.Close()
	window := made(here.zone.NewWindow(mem.ZoneWindow))(t)
	defer window.Free()
	there := lent.Remote()
	if unbind {
		there = made(conn.Bind(ctx, window, lent.All(), mem.RemoteWrite))(t)
	}
	text := made(there.MarshalBinary())(t)
	must(t, conn.Send(ctx, here.mem.Slice(0, copy(here.mem.Bytes(), text))))
	if line, err := out.ReadString('\n'); line != "writing\n" {
		t.Fatalf("the peer says %q, %v", line, err)
	}

	stopProcess(t, p.Process)
	before := others.count()
	if unbind {
		if _, err := conn.Bind(ctx, window, mem.Slice{}, 0); err != nil && !errors.Is(err, rdma.ErrBroken) {
			t.Errorf("unbinding: %v", err)
		}
		must(t, window.Free())
	}
	must(t, lent.Free())
	for i := range kept.Bytes() {
		kept.Bytes()[i] = 0x11
	}
	others.goOn(t, before)
	inside = conn.Context().Err() != nil
	continueProcess(t, p.Process)
	ended(t, conn, rdma.ErrBroken, rdma.ErrDisconnected)
	if line, err := out.ReadString('\n'); line != "over\n" {
		t.Errorf("the peer says %q, %v", line, err)
	}
	io.Copy(io.Discard, out)
	reap()
	if n := bytes.Count(kept.Bytes(), []byte{0x11}); n != len(kept.Bytes()) {
		at := bytes.IndexFunc(kept.Bytes(), func(r rune) bool { return r != 0x11 })
		t.Errorf("unbind %v: %d bytes, the first at %d, were written after the memory was taken back (the peer was inside: %v)", unbind, len(kept.Bytes())-n, at, inside)
	}
	return inside
}

// allStopped reports whether every thread of a process is stopped.
func allStopped(pid int) bool {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil || len(tasks) == 0 {
		return false
	}
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		_, state, _ := strings.Cut(string(text), ") ")
		if err != nil || !strings.HasPrefix(state, "T") {
			return false
		}
	}
	return true
}
