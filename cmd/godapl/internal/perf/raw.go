package perf

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// rawServers are the other ends of the bare measurements. Each serves one connection
// until its end. One that polls ends with over, too; the others when c is closed.
var rawServers = map[string]func(c net.Conn, size int, over <-chan struct{}) error{
	"raw poll":   serveRawPoll,
	"raw wait":   serveRawWait,
	"raw stream": serveRawStream,

	"raw polled stream": serveRawPolledStream,

	"net":     serveRawWait,
	"netchan": serveReader,
	"unix":    serveRawWait,
}

// startRaw listens for one bare connection, and returns the address.
func (p *passive) startRaw(ctx context.Context, do string) (address string, err error) {
	serve := rawServers[do]
	if serve == nil {
		return "", fmt.Errorf("no command %q", do)
	}
	ln, err := listenRaw(ctx, plains[do].network)
	if err != nil {
		return "", err
	}
	p.ending(func() { ln.Close() })
	p.work.Go(func() {
		c, err := ln.Accept()
		ln.Close()
		if err != nil {
			return // closed before a connection came
		}
		defer c.Close()
		p.ending(func() { c.Close() }) // the peer may be silent
		secured, err := p.cfg.secure(ctx, c, tls.Server)
		if err == nil {
			err = serve(secured, p.cfg.Size, p.closing)
		}
		if err != nil && !errors.Is(err, net.ErrClosed) {
			p.failed(fmt.Errorf("%s: %w", do, err))
		}
	})
	return ln.Addr().String(), nil
}

// ending has f called at the end, or now if that has come.
func (p *passive) ending(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closing:
		f()
	default:
		p.raws = append(p.raws, f)
	}
}

// listenRaw listens on this host, on TCP unless another network is named.
func listenRaw(ctx context.Context, network string) (net.Listener, error) {
	if network != "unix" {
		return new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	dir, err := os.MkdirTemp("", "perf")
	if err != nil {
		return nil, err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, network, filepath.Join(dir, "s"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &socketFile{ln, dir}, nil
}

// socketFile is a listener that removes its directory when it is closed.
type socketFile struct {
	net.Listener
	dir string
}

func (s *socketFile) Close() error { return errors.Join(s.Listener.Close(), os.RemoveAll(s.dir)) }

// dialRaw connects to one of the rawServers.
func (a *active) dialRaw(ctx context.Context, do string) (streamSocket, error) {
	where, err := a.peer.do(command{Do: do})
	if err != nil {
		return nil, err
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", where.Address)
	if err != nil {
		return nil, err
	}
	c, err = a.cfg.secure(ctx, c, tls.Client)
	return c.(streamSocket), err // a connection of TCP or of crypto/tls
}

func serveRawWait(c net.Conn, size int, _ <-chan struct{}) error {
	buf := make([]byte, size)
	for {
		if _, err := io.ReadFull(c, buf); err != nil {
			return notEOF(err)
		}
		if _, err := c.Write(buf); err != nil {
			return err
		}
	}
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func serveRawStream(c net.Conn, size int, _ <-chan struct{}) error { return drainStream(c, size) }

// drainStream reads everything, and answers with one byte.
func drainStream(c io.ReadWriter, size int) error {
	buf := make([]byte, max(size, 1<<20))
	for {
		if _, err := c.Read(buf); err != nil {
			if err := notEOF(err); err != nil {
				return err
			}
			_, err := c.Write([]byte{1})
			return err
		}
	}
}
