package captured

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// Fabric wraps a fabric: the streams that it makes are recorded in a file.
func Fabric(f wire.Fabric, file *capture.File) wire.Fabric { return &fabric{f, file} }

// fabric makes captured streams.
type fabric struct {
	wire.Fabric
	file *capture.File
}

func (f *fabric) Dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := f.Fabric.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	return &stream{conn, f.file.Flow(conn.LocalAddr(), conn.RemoteAddr(), true)}, nil
}

func (f *fabric) Listen(ctx context.Context, address string) (net.Listener, error) {
	ln, err := f.Fabric.Listen(ctx, address)
	if err != nil {
		return nil, err
	}
	return &listener{ln, f.file}, nil
}

type listener struct {
	net.Listener
	file *capture.File
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stream{conn, l.file.Flow(conn.LocalAddr(), conn.RemoteAddr(), false)}, nil
}

// stream is a captured stream before its connection begins and after it ends. One goroutine at a time
// uses it, so its writes may block.
type stream struct {
	net.Conn
	flow *capture.Flow
}

func (c *stream) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	received(c.flow, p[:max(n, 0)], err)
	return n, err
}

func (c *stream) Write(p []byte) (int, error) {
	c.flow.Hold()
	n, err := c.Conn.Write(p)
	c.flow.Sent([][]byte{p}, n)
	return n, err
}

func (c *stream) CloseWrite() error {
	cw, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	err := cw.CloseWrite()
	if err == nil {
		c.flow.SentEnd()
	}
	return err
}

func (c *stream) Close() error {
	err := c.Conn.Close()
	c.flow.Close()
	return err
}

// received records the bytes of a read.
func received(flow *capture.Flow, p []byte, err error) {
	if len(p) > 0 {
		flow.Received(p)
	}
	switch {
	case err == nil || err == wire.ErrAgain:
	case err == io.EOF:
		flow.ReceivedEnd(false)
	case errors.Is(err, errno.Reset):
		flow.ReceivedEnd(true)
	}
}

// Unwrap returns the stream without its wrapper, and its flow if it is captured.
func Unwrap(conn net.Conn) (net.Conn, *capture.Flow) {
	if c, ok := conn.(*stream); ok {
		return c.Conn, c.flow
	}
	return conn, nil
}

// WrapWire wraps a wire if there is a flow in which to record it.
func WrapWire(w wire.Wire, flow *capture.Flow) wire.Wire {
	if flow == nil {
		return w
	}
	return &Wire{w, flow}
}

// Wire records the bytes that pass a wire.
type Wire struct {
	wire.Wire
	flow *capture.Flow
}

func (w *Wire) Read(p []byte) (int, error) {
	n, err := w.Wire.Read(p)
	received(w.flow, p[:max(n, 0)], err)
	return n, err
}

func (w *Wire) Write(list [][]byte) (int, error) {
	w.flow.Hold()
	n, err := w.Wire.Write(list)
	w.flow.Sent(list, n)
	return n, err
}

// Resent is that of the wire below: see Conn.Retransmits.
func (w *Wire) Resent() (uint64, bool) {
	if below, ok := w.Wire.(interface{ Resent() (uint64, bool) }); ok {
		return below.Resent()
	}
	return 0, false
}

func (w *Wire) Release(ctx context.Context) (net.Conn, error) {
	conn, err := w.Wire.Release(ctx)
	if err != nil {
		w.flow.Close()
		return nil, err
	}
	return &stream{conn, w.flow}, nil
}
