package integration_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestNoMemoryForAConnection: if the system has no memory for a connection, both sides get an
// error, and the error of the side with the limit names the limit. Regions then use memory that
// cannot be shared, and still work.
func TestNoMemoryForAConnection(t *testing.T) {
	if inOwnProcess(t) {
		return
	}
	active, passive := newSide(t, open(t, "soft-shm"), 1<<16), newSide(t, open(t, "soft-shm"), 1<<16)
	others := bystand(t, active.adapter)
	ln := made(passive.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	refused := make(chan error, 1)
	go func() {
		request := <-ln.Requests()
		_, err := request.Accept(context.Background(), rdma.EndpointConfig{Zone: passive.zone})
		refused <- err
	}()
	before := others.count()
	again := withFileSize(t, 4096)
	_, err := active.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: active.zone})
	why := <-refused
	region, allocErr := passive.zone.Alloc(1<<16, mem.All)
	again()
	wantCode(t, err, rdma.ErrRefused, "a connection without memory")
	wantCode(t, why, rdma.ErrResources, "accepting it")
	if !strings.Contains(fmt.Sprint(why), "ulimit -f") {
		t.Errorf("%q does not name the limit", why)
	}
	must(t, allocErr)
	others.goOn(t, before)

	join(t, active, passive, rdma.EndpointConfig{}, rdma.EndpointConfig{})
	paint(active.mem.Bytes(), 1)
	made(active.conn.Write(within(t), active.mem.All(), region.Remote()))(t)
	if at := differs(region.Bytes(), 1); at >= 0 {
		t.Errorf("byte %d of memory that cannot be shared is wrong", at)
	}
	must(t, ln.Close())
}

// TestNoAddressesForMemory: if the address space has no room for a region, its allocation is
// refused. If it has no room for a peer's region, the region is accessed without a mapping.
func TestNoAddressesForMemory(t *testing.T) {
	const large, slack = 1 << 30, 256 << 20
	active, passive := connect(t, "soft-shm", 1<<20)
	others := bystand(t, active.adapter)
	there, err := passive.zone.Alloc(large, mem.All)
	if err != nil {
		t.Skipf("the system does not allow a mapping of %d bytes: %v", large, err)
	}
	before := others.count()
	again := withAddresses(t, slack)
	_, refused := passive.zone.Alloc(large, mem.All)
	for i := range 8 { // the first writes request the mapping, later ones find the result
		at := i * (large / 8)
		paint(active.mem.Bytes(), i)
		if _, err := active.conn.Write(within(t), active.mem.All(), there.Slice(at, 1<<20).Remote()); err != nil {
			t.Errorf("a write to memory that cannot be mapped: %v", err)
		}
		if wrong := differs(there.Bytes()[at:at+1<<20], i); wrong >= 0 {
			t.Errorf("byte %d of write %d is wrong", wrong, i)
		}
	}
	again()
	wantCode(t, refused, rdma.ErrResources, "memory that does not fit")
	if !strings.Contains(fmt.Sprint(refused), "ulimit -v") {
		t.Errorf("%q does not name the limit", refused)
	}
	others.goOn(t, before)
	must(t, made(passive.zone.Alloc(large, mem.All))(t).Free())
	made(active.conn.Write(within(t), active.mem.All(), there.Slice(0, 1<<20).Remote()))(t)
}

// TestNoHugePages: an allocation of more huge pages than are free fails with an error that says
// how many are missing, and affects nothing else.
func TestNoHugePages(t *testing.T) {
	page := mem.HugePageSize()
	if page == 0 {
		t.Skip("this system has no huge pages")
	}
	active := newSide(t, open(t, "soft-shm"), 1<<16)
	others := bystand(t, active.adapter)
	before := others.count()
	pages := hugePagesFree(t) + 1
	_, err := active.zone.AllocWith(pages*page, mem.All, mem.AllocConfig{HugePages: mem.HugeRequire})
	wantCode(t, err, rdma.ErrResources, fmt.Sprintf("%d huge pages", pages))
	if !strings.Contains(fmt.Sprint(err), "vm.nr_hugepages") {
		t.Errorf("%q does not say how to get more", err)
	}
	region := made(active.zone.AllocWith(pages*page, mem.All, mem.AllocConfig{HugePages: mem.HugePrefer}))(t)
	region.Bytes()[0], region.Bytes()[pages*page-1] = 1, 1
	must(t, region.Free())
	others.goOn(t, before)
}

const (
	groupLimit = 96 << 20 // of the peer process's memory
	groupReach = 1 << 30  // what it writes to
)

// fillUntilEnd is the peer process of TestPeerAtItsMemoryLimit. It writes to all of the memory
// that it is given. The system charges a page to the process that touches it first.
func fillUntilEnd(ctx context.Context, adapter, address string) error {
	return withLent(ctx, adapter, address, 1<<20, func(conn *rdma.Conn, own *mem.Region, there mem.Remote) error {
		for at := 0; at < groupReach; at += 1 << 20 {
			if _, err := conn.Write(ctx, own.All(), there.Slice(at, 1<<20)); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestPeerAtItsMemoryLimit: the limit of its control group kills a peer process in the middle
// of a copy. The connection then ends as with any dead peer, everything posted completes, and
// other connections are not affected.
func TestPeerAtItsMemoryLimit(t *testing.T) {
	procs := memoryGroup(t, groupLimit)
	here := newSide(t, open(t, "soft-shm"), 1<<16)
	others := bystand(t, here.adapter)
	ln := made(here.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	lent, err := here.zone.Alloc(groupReach, mem.All)
	if err != nil {
		t.Skipf("the system does not allow a mapping of %d bytes: %v", groupReach, err)
	}

	p := exec.Command("/bin/sh", "-c", `echo $$ > "$0" && exec "$1"`, procs, os.Args[0])
	p.Env = append(os.Environ(), peerVariable+"=fill soft-shm "+ln.Addr().String())
	p.Stderr = os.Stderr
	stdin := made(p.StdinPipe())(t)
	p.Stdout = io.Discard
	must(t, p.Start())
	defer stdin.Close()
	var request *rdma.ConnRequest
	select {
	case request = <-ln.Requests():
	case <-within(t).Done():
		t.Fatal("the peer process did not connect")
	}
	const posts = 8
	conn := made(request.Accept(within(t), rdma.EndpointConfig{Zone: here.zone}))(t)
	for i := range posts { // no messages arrive for these
		must(t, conn.PostRecv(rdma.Recv{Into: here.mem.Slice(4096+64*i, 64), Cookie: uint64(i)}))
	}
	text := made(lent.Remote().MarshalBinary())(t)
	must(t, conn.Send(within(t), here.mem.Slice(0, copy(here.mem.Bytes(), text))))
	ended(t, conn, rdma.ErrBroken)
	err = p.Wait()
	if !wasKilled(p.ProcessState) {
		t.Errorf("the peer process was not killed at its limit: %v", err)
	}
	for i, c := range take(t, conn.RecvCompletions(), posts) {
		if c.Cookie != uint64(i) || c.Status != rdma.StatusFlushed {
			t.Errorf("receive %d: %+v", i, c)
		}
	}
	others.goOn(t, others.count())
	must(t, conn.Close())
	must(t, lent.Free())
}
