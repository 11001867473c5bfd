package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/godapl/godapl/rdma"
)

// peerHost is the passive side on another host, or started by hand on this one.
type peerHost struct {
	conn net.Conn
	stop func() bool // no longer ends conn with the context
	commands
}

// dialPeer sends the configuration to a perf that runs with -serve.
func dialPeer(ctx context.Context, cfg *config) (peer, string, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", cfg.Peer)
	if err != nil {
		return nil, "", fmt.Errorf("is godapl perf -serve running there? %w", err)
	}
	p := &peerHost{conn: conn, commands: commands{json.NewEncoder(conn), json.NewDecoder(conn)}}
	p.stop = context.AfterFunc(ctx, func() { conn.Close() })
	if err := p.enc.Encode(cfg); err != nil {
		return nil, "", errors.Join(err, p.close())
	}
	hello, err := p.answer()
	if err != nil {
		return nil, "", errors.Join(context.Cause(ctx), err, p.close())
	}
	return p, hello.Address, nil
}

// close ends the other side by the end of its input.
func (p *peerHost) close() error {
	if p.stop() {
		return p.conn.Close()
	}
	return nil // the context has closed it
}

// serveHost is the other side for one measurement: a TCP connection brings the
// configuration, except for the local settings in mine.
func serveHost(ctx context.Context, mine *config, errs io.Writer) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", mine.Serve)
	if err != nil {
		return err
	}
	defer ln.Close()
	fmt.Fprintf(errs, "perf: waiting at %s for godapl perf -peer\n", ln.Addr())
	interrupted := context.AfterFunc(ctx, func() { ln.Close() })
	conn, err := ln.Accept()
	if err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	defer conn.Close()
	if !interrupted() {
		return context.Cause(ctx)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	dec := json.NewDecoder(io.LimitReader(conn, mostCommands))
	cfg := new(config)
	if err := dec.Decode(cfg); err != nil {
		return err
	}
	enc := json.NewEncoder(conn)
	if (cfg.Path == "shm") != (mine.Path == "shm") {
		err := fmt.Errorf("-path %s there and -path %s here do not meet: shm has to be on both sides", cfg.Path, mine.Path)
		return errors.Join(err, enc.Encode(answer{Err: err.Error()}))
	}
	cfg.Path, cfg.Peer, cfg.Serve = mine.Path, "", mine.Serve
	if host, _, err := net.SplitHostPort(conn.LocalAddr().String()); err == nil {
		cfg.Serve = host
	}
	err = cfg.checkTheirs()
	if err == nil {
		err = serve(ctx, cfg, dec, enc)
	}
	if err != nil {
		return errors.Join(err, enc.Encode(answer{Err: err.Error()}))
	}
	return nil
}

// listenAddress is where the passive side listens for connections.
func (c *config) listenAddress(a *rdma.Adapter) string {
	host := "127.0.0.1"
	switch {
	case c.hardware():
		host = a.Attributes().Address
	case c.Serve != "":
		host = c.Serve
	}
	return net.JoinHostPort(host, "0")
}
