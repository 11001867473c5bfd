package secure

import (
	"context"
	"net"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// Fabric makes streams with TLS of a fabric's streams.
type Fabric struct {
	Under  wire.Fabric
	Config *Config
}

// Dial connects and does the handshake.
func (f *Fabric) Dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := f.Under.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	s := f.Config.Client(conn, address)
	if err := s.Handshake(ctx); err != nil {
		_ = conn.Close()
		return nil, Explain(err, "the listener")
	}
	return s, nil
}

// Listen makes a listener whose streams still need their handshake: one peer must not delay the others.
func (f *Fabric) Listen(ctx context.Context, address string) (net.Listener, error) {
	if err := f.Config.CheckListen(); err != nil {
		return nil, hca.Named(err, "listen", address)
	}
	ln, err := f.Under.Listen(ctx, address)
	if err != nil {
		return nil, err
	}
	return &listener{ln, f.Config}, nil
}

type listener struct {
	net.Listener
	config *Config
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.config.Server(conn), nil
}
