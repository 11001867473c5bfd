package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestReaderFindsDamage has an owner that claims another sum.
func TestReaderFindsDamage(t *testing.T) {
	err := fetchFrom(t, func(ctx context.Context, conn *rdma.Conn, buf *mem.Region) error {
		if _, err := conn.Recv(ctx, buf.Slice(2048, sha256.Size)); err != nil {
			return err
		}
		return conn.Send(ctx, buf.Slice(1024, sha256.Size))
	}, 0)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("%v, want that the file was damaged", err)
	}
}

// TestReaderIsRefused has an owner that gives a wrong key.
func TestReaderIsRefused(t *testing.T) {
	err := fetchFrom(t, func(context.Context, *rdma.Conn, *mem.Region) error { return nil }, 1)
	if err == nil || !strings.Contains(err.Error(), "reading the file") || errors.Is(err, rdma.ErrCanceled) {
		t.Errorf("%v, want that the reads failed", err)
	}
}

// fetchFrom fetches a file of 1000 bytes from an owner that does what serve does.
// Its key is wrong by so much.
func fetchFrom(t *testing.T, serve func(context.Context, *rdma.Conn, *mem.Region) error, wrong mem.Key) error {
	ctx := within(t)
	owner := func(ctx context.Context, name, address string) error {
		adapter, zone, buf, err := open(ctx, name)
		if err != nil {
			return err
		}
		defer adapter.Close()
		where := buf.Slice(0, 1000).Remote()
		where.Key += wrong
		private, err := where.MarshalBinary()
		if err != nil {
			return err
		}
		conn, err := adapter.Dial(ctx, address, rdma.EndpointConfig{Zone: zone, Private: private})
		if err != nil {
			return err
		}
		if err := serve(ctx, conn, buf); err != nil {
			return err
		}
		<-conn.Context().Done() // the reader has had enough
		return nil
	}
	return fetch(ctx, io.Discard, "soft", "", "none", func(ctx context.Context, name, address, _ string) (string, func() error, error) {
		ended := make(chan error, 1)
		go func() { ended <- owner(ctx, name, address) }()
		return "liar", func() error { return <-ended }, nil
	})
}

// owned connects a reader, which the test plays, with an owner, and gives the
// reader's side and what the owner says in the end.
func owned(ctx context.Context, t *testing.T) (*rdma.Conn, *mem.Region, <-chan error) {
	t.Helper()
	adapter, zone, buf, err := open(ctx, "soft")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { adapter.Close() })
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	name, _ := fileOf(t, 1000)
	ended := make(chan error, 1)
	go func() { ended <- own(ctx, "soft", ln.Addr().String(), name) }()
	conn, err := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	return conn, buf, ended
}

// TestOwnerFindsDamage has a reader that got something else.
func TestOwnerFindsDamage(t *testing.T) {
	ctx := within(t)
	conn, buf, owned := owned(ctx, t)
	defer conn.Close()
	err := exchange(ctx, conn, sha256.Sum256(buf.Bytes()))
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the reader: %v, want that the file was damaged", err)
	}
	if err := <-owned; err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("the owner: %v, want that the file was damaged", err)
	}
}

// TestOwnerMissesReader: an owner whose reader leaves early has failed.
func TestOwnerMissesReader(t *testing.T) {
	ctx := within(t)
	conn, _, owned := owned(ctx, t)
	if err := conn.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	conn.Close()
	if err := <-owned; err == nil || !strings.Contains(err.Error(), "the reader is gone") {
		t.Errorf("%v, want that the reader is gone", err)
	}
}

func open(ctx context.Context, name string) (*rdma.Adapter, *rdma.Zone, *mem.Region, error) {
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return nil, nil, nil, err
	}
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, nil, nil, err
	}
	buf, err := zone.Alloc(4096, mem.Local|mem.RemoteRead)
	return adapter, zone, buf, err
}
