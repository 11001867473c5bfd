package rdmatest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// In a test, t is the test's own.
var t = new(testing.T)

func ExampleWorld() {
	synctest.Test(t, func(t *testing.T) { // func TestOfMine(t *testing.T) { synctest.Test(t, ...
		w := rdmatest.NewWorld(t, 17)
		client, server := w.Host("client"), w.Host("server")
		a, b := w.Pair(client, server)
		w.Link(client, server).Cut(rdmatest.After(3 * time.Second))

		page, _ := b.Zone().Alloc(4096, mem.Local)
		_, err := b.Recv(w.Context(), page.All()) // nobody sends anything
		<-a.Context().Done()
		fmt.Println(errors.Is(err, rdma.ErrBroken), context.Cause(a.Context()) != nil, w.Fired())
	})
	// Output:
	// true true map[cut:1]
}

func ExampleHost() {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		client, server := w.Host("client"), w.Host("server")
		a, _ := w.Pair(client, server)
		server.Kill()
		<-a.Context().Done()
		_, err := a.Zone().Adapter().Dial(w.Context(), "server:49152", rdma.EndpointConfig{Zone: a.Zone()})
		fmt.Println(errors.Is(err, rdma.ErrRefused), errors.Is(context.Cause(a.Context()), rdma.ErrBroken))
	})
	// Output:
	// true true
}

func ExampleLink() {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		client, server := w.Host("client"), w.Host("server")
		w.Link(client, server).Latency(20 * time.Millisecond)
		a, b := w.Pair(client, server)
		page, _ := a.Zone().Alloc(4096, mem.Local)
		there, _ := b.Zone().Alloc(4096, mem.All)
		begun := time.Now()
		_, err := a.Read(w.Context(), page.Slice(0, 8), there.Slice(0, 8).Remote())
		fmt.Println(err, time.Since(begun)) // the request, and the response
	})
	// Output:
	// <nil> 40ms
}

func ExampleWhen() {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		client, server := w.Host("client"), w.Host("server")
		a, _ := w.Pair(client, server)
		w.Link(client, server).Cut(rdmatest.AtByte(100)) // in the middle of what follows
		page, _ := a.Zone().Alloc(4096, mem.Local)
		err := a.Send(w.Context(), page.All())
		<-a.Context().Done()
		fmt.Println(err, errors.Is(context.Cause(a.Context()), rdma.ErrBroken))
	})
	// Output:
	// <nil> true
}

func ExampleWhich() {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		a, b := w.Pair(w.Host("client"), w.Host("server"))
		w.Fail(rdma.OpRead, rdma.StatusRemoteAccess, rdmatest.Nth(7))
		page, _ := a.Zone().Alloc(4096, mem.Local)
		there, _ := b.Zone().Alloc(4096, mem.All)
		for i := 1; ; i++ {
			if _, err := a.Read(w.Context(), page.All(), there.All().Remote()); err != nil {
				fmt.Println(i, errors.Is(err, rdma.ErrWork))
				break
			}
		}
	})
	// Output:
	// 7 true
}

func ExampleReplay() {
	differs := rdmatest.Replay(t, 5, func(t *testing.T, w *rdmatest.World) {
		w.Pair(w.Host("client"), w.Host("server"))
		w.Note("the program drew %d", w.Rand("mine").IntN(6))
	})
	fmt.Printf("%q\n", differs)
	// Output:
	// ""
}
