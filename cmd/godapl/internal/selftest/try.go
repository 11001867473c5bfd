package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// size is the bytes that are written and read. It is more than a packet of any network, and
// little enough for a small limit of locked memory.
const size = 8 << 10

// Try connects to the partner at address and exercises the connection. It returns the path of
// the connection, and an error at the first thing that fails or differs. It ends when ctx is
// done.
func Try(ctx context.Context, adapter *rdma.Adapter, address string) (path string, err error) {
	e, region, err := endpoint(adapter, mem.Local)
	if err != nil {
		return "", err
	}
	defer e.Zone().Close()
	defer e.Close()
	conn, err := e.Connect(ctx, address, rdma.ConnConfig{})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var remote mem.Remote
	if err := remote.UnmarshalBinary(conn.PrivateData()); err != nil {
		return "", fmt.Errorf("the partner did not say where its memory is: %w", err)
	}
	if remote.Length < size {
		return "", fmt.Errorf("the partner has %d bytes of memory instead of %d", remote.Length, size)
	}
	remote.Length = size
	from, to := region.Slice(0, size), region.Slice(size, size)
	for i := range from.Bytes() {
		from.Bytes()[i] = byte(i*7 + i>>8)
	}
	if _, err := conn.Write(ctx, from, remote); err != nil {
		return "", err
	}
	if _, err := conn.Read(ctx, to, remote); err != nil {
		return "", err
	}
	if !bytes.Equal(from.Bytes(), to.Bytes()) {
		return "", errors.New("what was read differs from what was written")
	}
	if err := conn.Send(ctx, region.Slice(0, 1)); err != nil {
		return "", err
	}
	if err := received(ctx, conn); err != nil {
		return "", err
	}
	// The connection may end before the partner has answered the end; the test has passed.
	_ = conn.Shutdown(ctx)
	return conn.Path(), nil
}

// endpoint makes an endpoint in a zone of its own, with a region of two times size and a page,
// and a receive in the page: a message that finds no receive breaks the connection on some
// devices.
func endpoint(adapter *rdma.Adapter, rights mem.Rights) (*rdma.Endpoint, *mem.Region, error) {
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, nil, err
	}
	region, err := zone.Alloc(2*size+4096, rights)
	if err != nil {
		zone.Close()
		return nil, nil, err
	}
	e, err := adapter.NewEndpoint(rdma.EndpointConfig{Zone: zone, SendDepth: 4, RecvDepth: 2})
	if err == nil {
		err = e.PostRecv(rdma.Recv{Into: region.Slice(2*size, 1)})
	}
	if err != nil {
		if e != nil {
			e.Close()
		}
		zone.Close()
		return nil, nil, err
	}
	return e, region, nil
}

// received waits for a message.
func received(ctx context.Context, conn *rdma.Conn) error {
	c, _, err := conn.RecvCompletions().Wait(ctx, 1)
	switch {
	case err != nil:
		return err
	case c.Status == rdma.StatusFlushed: // the connection has ended, and knows why
		<-conn.Context().Done()
		return context.Cause(conn.Context())
	}
	return c.Err()
}
