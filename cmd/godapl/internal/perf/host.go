package perf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"time"

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
	p := &peerHost{conn: conn, commands: commands{json.NewEncoder(conn), json.NewDecoder(io.LimitReader(conn, mostAnswers))}}
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

// helloTime is how long another side may take to send its configuration.
const helloTime = 5 * time.Second

// serveHost is the other side for one measurement: a TCP connection brings the
// configuration, except for the local settings in mine.
func serveHost(ctx context.Context, mine *config, errs io.Writer) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", mine.Serve)
	if err != nil {
		return err
	}
	defer ln.Close()
	fmt.Fprintf(errs, "perf: waiting at %s for godapl perf -peer\n", ln.Addr())
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	conn, dec, cfg, err := acceptPeer(ctx, ln, helloTime, errs)
	if err != nil {
		return err
	}
	defer conn.Close()
	ln.Close() // there is one measurement
	// The other side may fall silent later: its own timeout ends that, too.
	ctx, cancel := context.WithTimeoutCause(ctx, min(cfg.Timeout, math.MaxInt64-helloTime)+helloTime, fmt.Errorf("%s is not done after its -timeout of %v", conn.RemoteAddr(), cfg.Timeout))
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
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
	if cause := context.Cause(ctx); cause != nil {
		return errors.Join(cause, err)
	}
	if err != nil {
		return errors.Join(err, enc.Encode(answer{Err: err.Error()}))
	}
	return nil
}

// acceptPeer takes the first connection that brings a configuration within a time. Others are told of, and closed.
func acceptPeer(ctx context.Context, ln net.Listener, within time.Duration, errs io.Writer) (net.Conn, *json.Decoder, *config, error) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return nil, nil, nil, errors.Join(context.Cause(ctx), err)
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		_ = conn.SetReadDeadline(time.Now().Add(within))
		dec, cfg := json.NewDecoder(io.LimitReader(conn, mostCommands)), new(config)
		err = dec.Decode(cfg)
		_ = conn.SetReadDeadline(time.Time{})
		if stop() && err == nil {
			return conn, dec, cfg, nil
		}
		conn.Close()
		if ctx.Err() != nil {
			return nil, nil, nil, context.Cause(ctx)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = fmt.Errorf("nothing came for %v", within)
		}
		fmt.Fprintf(errs, "perf: %s is no godapl perf -peer, still waiting: %v\n", conn.RemoteAddr(), err)
	}
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
