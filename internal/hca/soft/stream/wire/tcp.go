package wire

import (
	"context"
	"net"
	"os"
)

// TCP is the network of this host.
type TCP struct{}

// Dial implements Fabric.
func (TCP) Dial(ctx context.Context, address string) (net.Conn, error) {
	d := net.Dialer{Control: shareable}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err == nil && conn.LocalAddr() == nil {
		_ = conn.Close()
		return nil, errNameless
	}
	return conn, err
}

// Listen implements Fabric.
func (TCP) Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err == nil && ln.Addr() == nil {
		_ = ln.Close()
		return nil, errNameless
	}
	return ln, err
}

// errNameless: package net has ignored that the system does not tell the address of a socket. Nobody could be told which
// service was chosen, and a connection could not end in order: GiveSocket needs the same call.
var errNameless = os.NewSyscallError("getsockname", os.ErrPermission)
