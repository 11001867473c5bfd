package valkey_test

import (
	"bufio"
	"context"
	"fmt"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

func ExampleDialer() {
	adapter, err := rdma.Open(context.Background(), "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	address, stop := exampleServer(adapter)
	defer stop()

	dialer := valkey.Dialer{Adapter: adapter}
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "PING\r\n")
	answer, err := bufio.NewReader(conn).ReadString('\n')
	fmt.Printf("%q %v\n", answer, err)
	// Output: "+PONG\r\n" <nil>
}

// A buffer of 64 KiB in place of 1 MiB, for a program with many connections.
func ExampleConfig() {
	config := valkey.Config{Buffer: 64 << 10}
	dialer := valkey.Dialer{Config: config}
	fmt.Println(dialer.Config.Buffer)
	// Output: 65536
}

// exampleServer answers commands of one client.
func exampleServer(adapter *rdma.Adapter) (address string, stop func()) {
	ln, err := valkey.Listen(context.Background(), adapter, "127.0.0.1:0", valkey.Config{})
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			fmt.Fprint(conn, "+PONG\r\n")
		}
	}()
	return ln.Addr().String(), func() {
		_ = ln.Close()
		<-done
	}
}

// The server's side, with one client.
func ExampleListener() {
	adapter, err := rdma.Open(context.Background(), "soft", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	ln, err := valkey.Listen(context.Background(), adapter, "127.0.0.1:0", valkey.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer ln.Close()
	dialer := valkey.Dialer{Adapter: adapter}
	client, err := dialer.Dial("tcp", ln.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	conn, err := ln.Accept()
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(client, "PING\r\n")
	command, err := bufio.NewReader(conn).ReadString('\n')
	fmt.Printf("%q %v\n", command, err)
	// Output: "PING\r\n" <nil>
}

// Every connection is a net.Conn, and tells more than that.
func ExampleConn() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	address, stop := exampleServer(adapter)
	defer stop()
	dialer := valkey.Dialer{Adapter: adapter}
	conn, err := dialer.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	_, isConn := conn.(*valkey.Conn)
	fmt.Println(isConn, conn.LocalAddr().Network())
	// Output: true loop
}
