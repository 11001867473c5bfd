package rdma_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func ExampleSend() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	server.conn.PostRecv(rdma.Recv{Into: server.memory.All(), Cookie: 7})
	copy(client.memory.Bytes(), "head, body")
	err := client.conn.PostSend(rdma.Send{
		From:  client.memory.Slice(0, 6),
		More:  []mem.Slice{client.memory.Slice(6, 4)},
		Flags: rdma.NoCompletion, // no completion if all goes well
	})
	c, _, _ := server.conn.RecvCompletions().Wait(context.Background(), 1)
	fmt.Printf("%v, cookie %d: %s\n", err, c.Cookie, server.memory.Bytes()[:c.Length])
	// Output: <nil>, cookie 7: head, body
}

func ExampleRecv() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	const size = 64
	for i := range 4 { // a ring of four receives
		server.conn.PostRecv(rdma.Recv{Into: server.memory.Slice(size*i, size), Cookie: uint64(i)})
	}
	for i := range 6 {
		n := copy(client.memory.Bytes(), fmt.Sprintf("message %d", i))
		client.conn.Send(ctx, client.memory.Slice(0, n))
		c, _, err := server.conn.RecvCompletions().Wait(ctx, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		slot := server.memory.Slice(size*int(c.Cookie), size)
		fmt.Printf("%s in slot %d\n", slot.Bytes()[:c.Length], c.Cookie)
		server.conn.PostRecv(rdma.Recv{Into: slot, Cookie: c.Cookie})
	}
	// Output:
	// message 0 in slot 0
	// message 1 in slot 1
	// message 2 in slot 2
	// message 3 in slot 3
	// message 4 in slot 0
	// message 5 in slot 1
}

func ExampleWrite() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	server.conn.PostRecv(rdma.Recv{}) // for the immediate data
	copy(client.memory.Bytes(), "written")
	err := client.conn.PostWrite(rdma.Write{
		From: client.memory.Slice(0, 7), To: server.memory.Remote(),
		Flags: rdma.WithImmediate, Immediate: 42,
	})
	c, _, _ := server.conn.RecvCompletions().Wait(ctx, 1)
	fmt.Println(err, c.Op, c.Immediate, string(server.memory.Bytes()[:7]))
	// Output: <nil> receive-write-immediate 42 written
}

func ExampleRead() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	copy(server.memory.Bytes(), "0123456789")
	remote := server.memory.Remote()
	for i := range 2 { // several may be under way
		client.conn.PostRead(rdma.Read{Into: client.memory.Slice(5*i, 5), From: remote.Slice(5*i, 5), Cookie: uint64(i)})
	}
	for range 2 {
		c, _, _ := client.conn.SendCompletions().Wait(context.Background(), 1)
		fmt.Println(c.Op, c.Cookie, c.Length, c.Err())
	}
	fmt.Printf("%s\n", client.memory.Bytes()[:10])
	// Output:
	// read 0 5 <nil>
	// read 1 5 <nil>
	// 0123456789
}

func ExampleFetchAdd() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	client.conn.PostFetchAdd(rdma.FetchAdd{Into: client.memory.Slice(0, 8), At: server.memory.Slice(0, 8).Remote(), Add: 5})
	client.conn.SendCompletions().Wait(context.Background(), 1)
	fmt.Println(binary.NativeEndian.Uint64(client.memory.Bytes()), binary.NativeEndian.Uint64(server.memory.Bytes()))
	// Output: 0 5
}

func ExampleCompareSwap() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	lock := server.memory.Slice(0, 8).Remote() // 0: nobody has it
	for me := uint64(1); me <= 2; me++ {
		client.conn.PostCompareSwap(rdma.CompareSwap{Into: client.memory.Slice(0, 8), At: lock, Compare: 0, Swap: me})
		client.conn.SendCompletions().Wait(context.Background(), 1)
		fmt.Println(me, "found", binary.NativeEndian.Uint64(client.memory.Bytes()))
	}
	// Output:
	// 1 found 0
	// 2 found 1
}

func ExampleBind() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	private, _ := server.zone.Alloc(4096, mem.Local) // no right for peers
	copy(private.Bytes(), "secret, public")
	window, _ := server.zone.NewWindow(mem.ZoneWindow)
	lent, err := server.conn.PostBind(rdma.Bind{Window: window, To: private.Slice(8, 6), Rights: mem.RemoteRead})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, _, _ := server.conn.SendCompletions().Wait(ctx, 1)
	fmt.Println(c.Op, c.Window == window, c.Err())
	n, err := client.conn.Read(ctx, client.memory.All(), lent)
	fmt.Printf("%s %v\n", client.memory.Bytes()[:n], err)
	// Output:
	// bind true <nil>
	// public <nil>
}

func ExampleBatch() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	remote := server.memory.Remote()
	batch := client.conn.NewBatch()
	for i := range 8 {
		if err := batch.Write(rdma.Write{From: client.memory.Slice(64*i, 64), To: remote.Slice(64*i, 64), Cookie: uint64(i)}); err != nil {
			fmt.Println(err)
			return
		}
	}
	n, err := batch.Post() // one doorbell
	var list [8]rdma.Completion
	got := 0
	for got < n {
		k, err := client.conn.SendCompletions().WaitBatch(ctx, list[got:])
		if err != nil {
			fmt.Println(err)
			return
		}
		got += k
	}
	fmt.Println(n, err, list[7].Cookie)
	// Output: 8 <nil> 7
}

func ExampleFlags() {
	fmt.Println(rdma.NoCompletion | rdma.Fence)
	// Output: no-completion+fence
}
