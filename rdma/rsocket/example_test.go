package rsocket_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// exampleAdapter and exampleListener are on the software adapter: nothing to set up.
func exampleAdapter() *rdma.Adapter {
	adapter, err := rdma.Open(context.Background(), "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	return adapter
}

func exampleListener(adapter *rdma.Adapter) *rsocket.Listener {
	ln, err := rsocket.Listen(context.Background(), adapter, "127.0.0.1:0", rsocket.Config{})
	if err != nil {
		log.Fatal(err)
	}
	return ln
}

func ExampleListener() {
	adapter := exampleAdapter()
	defer adapter.Close()
	ln := exampleListener(adapter)
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.Copy(conn, conn) // an echo server
	}()

	dialer := rsocket.Dialer{Adapter: adapter}
	conn, err := dialer.Dial("tcp", ln.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "echo")
	b := make([]byte, 4)
	_, err = io.ReadFull(conn, b)
	fmt.Printf("%s %v\n", b, err)
	// Output: echo <nil>
}

// All that a server of package net/http needs.
func ExampleListen() {
	ctx, handler := context.Background(), http.FileServer(http.Dir("."))
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	ln, err := rsocket.Listen(ctx, adapter, "192.0.2.1:8080", rsocket.Config{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(ln, handler))
}

// An existing server and client of package net/http, on RDMA.
func ExampleDialer() {
	adapter := exampleAdapter()
	defer adapter.Close()
	ln := exampleListener(adapter)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "you asked for %s", r.URL.Path)
	})}
	go server.Serve(ln)
	defer server.Close()

	dialer := rsocket.Dialer{Adapter: adapter}
	client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("http://" + ln.Addr().String() + "/page")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	fmt.Printf("%s %v\n", text, err)
	// Output: you asked for /page <nil>
}

// A server for peers with RDMA and without, and a client that takes what there is. Here peers of the
// same host have RDMA: they share memory, or are in the same process.
func ExampleJoin() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	near, err := rsocket.Listen(context.Background(), adapter, tcp.Addr().String(), rsocket.Config{})
	if err != nil {
		log.Fatal(err)
	}
	both := rsocket.Join(near, tcp)
	defer both.Close()

	dialer := rsocket.Dialer{Adapter: adapter, Fallback: &net.Dialer{}}
	conn, err := dialer.Dial("tcp", tcp.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	_, byRDMA := conn.(*rsocket.Conn)
	fmt.Println("by RDMA:", byRDMA)
	// Output: by RDMA: true
}

// A way to connect without RDMA that tells about it.
func ExampleFallback() {
	dialer := rsocket.Dialer{Adapter: exampleAdapter(), Fallback: loud{}}
	defer dialer.Adapter.Close()
	_, err := dialer.Dial("tcp", "127.0.0.1:1")
	fmt.Println(errors.Is(err, rdma.ErrRefused))
	// Output:
	// without RDMA to 127.0.0.1:1
	// true
}

type loud struct{ net.Dialer }

func (d loud) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	fmt.Println("without RDMA to", address)
	return d.Dialer.DialContext(ctx, network, address)
}

// The half-close: the end of the question is the end of its direction.
func ExampleConn() {
	adapter := exampleAdapter()
	defer adapter.Close()
	ln := exampleListener(adapter)
	defer ln.Close()
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		question, _ := io.ReadAll(conn)
		fmt.Fprint(conn, strings.ToUpper(string(question)))
	}()

	dialer := rsocket.Dialer{Adapter: adapter}
	dialed, err := dialer.Dial("tcp", ln.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	conn := dialed.(*rsocket.Conn)
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(conn, "any number of words")
	_ = conn.CloseWrite()
	answer, err := io.ReadAll(conn)
	fmt.Printf("%s %v\n", answer, err)
	// Output: ANY NUMBER OF WORDS <nil>
}

// Many connections that are mostly idle: a page each, until they need more.
func ExampleConfig() {
	adapter := exampleAdapter()
	defer adapter.Close()
	cfg := rsocket.Config{Ring: 4096, MaxRing: 64 << 10, Messages: 16}
	ln, err := rsocket.Listen(context.Background(), adapter, "127.0.0.1:0", cfg)
	fmt.Println(err, ln.Close())
	// Output: <nil> <nil>
}
