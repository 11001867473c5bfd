package main

import (
	"context"
	"fmt"
	"io"
	"net"
)

// rawServers are the other ends of the bare measurements. Each serves one connection
// until its end.
var rawServers = map[string]func(c *net.TCPConn, size int) error{
	"raw poll":   serveRawPoll,
	"raw wait":   serveRawWait,
	"raw stream": serveRawStream,

	"raw polled stream": serveRawPolledStream,
}

// startRaw listens for one bare connection, and returns the address.
func (p *passive) startRaw(ctx context.Context, do string) (address string, err error) {
	serve := rawServers[do]
	if serve == nil {
		return "", fmt.Errorf("no command %q", do)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	p.raws = append(p.raws, func() { ln.Close() })
	p.mu.Unlock()
	p.work.Go(func() {
		c, err := ln.Accept()
		ln.Close()
		if err != nil {
			return // closed before a connection came
		}
		defer c.Close()
		if err := serve(c.(*net.TCPConn), p.cfg.Size); err != nil {
			p.failed(fmt.Errorf("%s: %w", do, err))
		}
	})
	return ln.Addr().String(), nil
}

// dialRaw connects to one of the rawServers.
func (a *active) dialRaw(ctx context.Context, do string) (*net.TCPConn, error) {
	where, err := a.peer.do(command{Do: do})
	if err != nil {
		return nil, err
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp4", where.Address)
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

func serveRawWait(c *net.TCPConn, size int) error {
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

func serveRawStream(c *net.TCPConn, size int) error { return drainStream(c, size) }

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
