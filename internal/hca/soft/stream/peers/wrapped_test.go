package peers_test

import (
	"context"
	"net"
)

// wrapping is TCP whose connections are not recognized as such.
type wrapping struct{}

// wrapped keeps the methods that a stream must have, and hides the rest.
type wrapped struct{ net.Conn }

func (w wrapped) CloseWrite() error { return w.Conn.(*net.TCPConn).CloseWrite() }

func (wrapping) Dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return wrapped{conn}, nil
}

func (wrapping) Listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return wrappedListener{ln}, nil
}

type wrappedListener struct{ net.Listener }

func (l wrappedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return wrapped{conn}, nil
}
