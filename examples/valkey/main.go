// Command valkey stores and fetches a value at a Valkey server over RDMA, by the client libraries
// go-redis and valkey-go.
//
//	valkey-server --loadmodule valkey-rdma.so port=6379 bind=192.0.2.1
//	go run . -adapter mlx5_0 -server 192.0.2.1:6379 key value
//
// It is a module of its own, so that the library does not depend on the clients. They are unchanged:
// only the way to connect is from package rdma/valkey.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"

	"github.com/redis/go-redis/v9"
	vk "github.com/valkey-io/valkey-go"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "valkey:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	flags := flag.NewFlagSet("valkey", flag.ContinueOnError)
	flags.SetOutput(errs)
	name := flags.String("adapter", "soft", "what rdma.Open takes: a device's `name`, or soft for a server in Go")
	server := flags.String("server", "127.0.0.1:6379", "`address:port` of the server")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		return errors.New("a key and a value are needed")
	}
	adapter, err := rdma.Open(ctx, *name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	if err := store(ctx, adapter, *server, flags.Arg(0), flags.Arg(1)); err != nil {
		return err
	}
	value, err := fetch(ctx, adapter, *server, flags.Arg(0))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, value)
	return err
}

// goRedis is a client of go-redis.
func goRedis(adapter *rdma.Adapter, server string) *redis.Client {
	dialer := valkey.Dialer{Adapter: adapter}
	return redis.NewClient(&redis.Options{Addr: server, Dialer: dialer.DialContext})
}

// valkeyGo is a client of valkey-go.
func valkeyGo(adapter *rdma.Adapter, server string) (vk.Client, error) {
	dialer := valkey.Dialer{Adapter: adapter}
	return vk.NewClient(vk.ClientOption{
		InitAddress:       []string{server},
		DisableCache:      true, // for servers without CLIENT TRACKING
		ForceSingleClient: true, // a cluster tells the ports of TCP
		DialCtxFn: func(ctx context.Context, address string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", address)
		},
	})
}

// store sets a value by go-redis.
func store(ctx context.Context, adapter *rdma.Adapter, server, key, value string) error {
	client := goRedis(adapter, server)
	defer client.Close()
	return client.Set(ctx, key, value, 0).Err()
}

// fetch gets a value by valkey-go.
func fetch(ctx context.Context, adapter *rdma.Adapter, server, key string) (string, error) {
	client, err := valkeyGo(adapter, server)
	if err != nil {
		return "", err
	}
	defer client.Close()
	return client.Do(ctx, client.B().Get().Key(key).Build()).ToString()
}
