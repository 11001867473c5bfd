package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// The variables name a folder with valkey-server and valkey-rdma.so, and the devices and address to
// use: RDMA_DEVICES, the first of which is RoCE and has the address, and any others of which are iWARP.
const (
	folderVariable  = "GODAPL_VALKEY"
	devicesVariable = "RDMA_DEVICES"
	addressVariable = "GODAPL_VALKEY_ADDRESS"
)

// process is a real valkey-server.
type process struct {
	command *exec.Cmd
	address string
}

func startProcess(t *testing.T) *process {
	t.Helper()
	folder, host := os.Getenv(folderVariable), os.Getenv(addressVariable)
	if folder == "" || host == "" {
		t.Skip("no valkey-server: " + folderVariable + " and " + addressVariable + " are not set")
	}
	p := &process{address: host + ":6379"}
	p.command = exec.Command(filepath.Join(folder, "valkey-server"), "--port", "0", "--protected-mode", "no", "--save", "", "--dir", t.TempDir(),
		"--enable-debug-command", "yes", "--loadmodule", filepath.Join(folder, "valkey-rdma.so"), "port=6379", "bind="+host)
	p.command.Stderr = os.Stderr
	must(t, p.command.Start())
	t.Cleanup(p.kill)
	return p
}

// kill ends the server without notice.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

func device(t *testing.T, i int) *rdma.Adapter {
	t.Helper()
	names := strings.Fields(os.Getenv(devicesVariable))
	if i >= len(names) {
		t.Skip("no such device in " + devicesVariable)
	}
	a, err := rdma.Open(t.Context(), names[i], rdma.OpenConfig{})
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// patient is a client that does not mind how long something takes.
func patient(adapter *rdma.Adapter, address string, cfg valkey.Config) *redis.Client {
	dialer := valkey.Dialer{Adapter: adapter, Config: cfg}
	return redis.NewClient(&redis.Options{Addr: address, Dialer: dialer.DialContext, ReadTimeout: time.Minute, WriteTimeout: time.Minute})
}

// up waits until the server answers.
func up(t *testing.T, c *redis.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		err := c.Ping(ctx).Err()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal("no answer from the server: ", err)
		}
	}
}

func TestPeer(t *testing.T) {
	p := startProcess(t)
	a := device(t, 0)
	c := patient(a, p.address, valkey.Config{})
	defer c.Close()
	up(t, c)
	t.Run("go-redis", func(t *testing.T) { redisValues(t, c) })
	t.Run("pipeline", func(t *testing.T) { pipeline(t, c, 20_000) })
	t.Run("pub/sub", func(t *testing.T) { publish(t, c, 1500) })
	t.Run("small buffer", func(t *testing.T) {
		c := patient(a, p.address, valkey.Config{Buffer: 4096})
		defer c.Close()
		pipeline(t, c, 2000)
		must(t, c.Set(t.Context(), "k", value(100_000), 0).Err())
		if b, err := c.Get(t.Context(), "k").Bytes(); err != nil || len(b) != 100_000 {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	})
	t.Run("valkey-go", func(t *testing.T) {
		c, err := valkeyGo(a, p.address)
		must(t, err)
		defer c.Close()
		valkeyValues(t, c)
		many(t, c, 20, 20)
	})
	t.Run("busy server", func(t *testing.T) { busy(t, a, p.address) })
	t.Run("killed", func(t *testing.T) {
		waits := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() { waits <- c.Do(ctx, "BLPOP", "nothing", "0").Err() }()
		p.kill()
		if err := <-waits; err == nil || ctx.Err() != nil {
			t.Errorf("a call that waits for a server that was killed: %v", err)
		}
		p = startProcess(t)
		up(t, c)
		redisValues(t, c)
	})
}

// busy writes many commands one by one while the server sleeps: far more than the server has
// receives for.
func busy(t *testing.T, a *rdma.Adapter, address string) {
	dialer := valkey.Dialer{Adapter: a}
	c, err := dialer.DialContext(t.Context(), "tcp", address)
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(time.Minute)))
	const commands = 3000
	_, err = c.Write([]byte("DEBUG SLEEP 2\r\n"))
	must(t, err)
	for range commands {
		_, err := c.Write([]byte("PING\r\n"))
		must(t, err)
	}
	want := "+OK\r\n" + strings.Repeat("+PONG\r\n", commands)
	got := make([]byte, len(want))
	_, err = io.ReadFull(c, got)
	must(t, err)
	if string(got) != want {
		t.Error("the answers differ")
	}
	if features, known := c.(*valkey.Conn).ServerFeatures(); !known || features != 0 {
		t.Errorf("features %#x, %t", features, known)
	}
}

// TestWithoutImmediate: an adapter that cannot carry the protocol says why.
func TestWithoutImmediate(t *testing.T) {
	a := device(t, 1)
	for what, err := range map[string]error{
		"dial":   second((&valkey.Dialer{Adapter: a}).Dial("tcp", a.Attributes().Address+":6379")),
		"listen": second(valkey.Listen(t.Context(), a, a.Attributes().Address+":0", valkey.Config{})),
	} {
		if !errors.Is(err, rdma.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), "immediate") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
