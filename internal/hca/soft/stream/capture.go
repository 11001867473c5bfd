package stream

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// Capture wraps the streams that the fabric makes and the wires that replace them. Without a capture neither
// wrapper exists. The rest of the adapter knows of captures only where a wire replaces a stream: see
// uncaptured.

// startCapture starts the capture that the options request.
func (p *Path) startCapture() error {
	a := p.a
	c := a.Options.Capture
	if c == nil {
		return nil
	}
	f, err := capture.Open(capture.Config{Path: c.Path, FileSize: c.FileSize, Files: c.Files, Interface: a.Attrs.Name, Failed: p.captureFailed})
	if err != nil {
		return hca.Wrap(hca.Invalid, "open", a.Attrs.Name, "capture", err)
	}
	p.capture, p.fabric = f, &capturedFabric{p.fabric, f}
	a.Log.Info("capture", "file", f.Name(), "inprocess", "not captured")
	return nil
}

func (p *Path) captureFailed(err error) {
	a := p.a
	a.Log.Error("the capture has ended early", "error", err)
	a.Async(hca.AsyncEvent{Kind: hca.AsyncCaptureEnded, Err: hca.Wrap(hca.Resources, "capture", a.Attrs.Name, "it has ended early", err)})
}

func (p *Path) endCapture() {
	if p.capture != nil {
		_ = p.capture.Close() // an error is reported already
	}
}

// capturedFabric makes captured streams.
type capturedFabric struct {
	core.Fabric
	file *capture.File
}

func (f *capturedFabric) Dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := f.Fabric.Dial(ctx, address)
	if err != nil {
		return nil, err
	}
	return &capturedConn{conn, f.file.Flow(conn.LocalAddr(), conn.RemoteAddr(), true)}, nil
}

func (f *capturedFabric) Listen(ctx context.Context, address string) (net.Listener, error) {
	ln, err := f.Fabric.Listen(ctx, address)
	if err != nil {
		return nil, err
	}
	return &capturedListener{ln, f.file}, nil
}

type capturedListener struct {
	net.Listener
	file *capture.File
}

func (l *capturedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &capturedConn{conn, l.file.Flow(conn.LocalAddr(), conn.RemoteAddr(), false)}, nil
}

// capturedConn is a captured stream before its connection begins and after it ends. One goroutine at a time
// uses it, so its writes may block.
type capturedConn struct {
	net.Conn
	flow *capture.Flow
}

func (c *capturedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	received(c.flow, p[:max(n, 0)], err)
	return n, err
}

func (c *capturedConn) Write(p []byte) (int, error) {
	c.flow.Hold()
	n, err := c.Conn.Write(p)
	c.flow.Sent([][]byte{p}, n)
	return n, err
}

func (c *capturedConn) CloseWrite() error {
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

func (c *capturedConn) Close() error {
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
	case errors.Is(err, core.ErrnoReset):
		flow.ReceivedEnd(true)
	}
}

// uncaptured returns the stream without its wrapper, and its flow if it is captured.
func uncaptured(conn net.Conn) (net.Conn, *capture.Flow) {
	if c, ok := conn.(*capturedConn); ok {
		return c.Conn, c.flow
	}
	return conn, nil
}

// captured wraps a wire if there is a flow in which to record it.
func captured(w wire.Wire, flow *capture.Flow) wire.Wire {
	if flow == nil {
		return w
	}
	return &capturedWire{w, flow}
}

// capturedWire records the bytes that pass a wire.
type capturedWire struct {
	wire.Wire
	flow *capture.Flow
}

func (w *capturedWire) Read(p []byte) (int, error) {
	n, err := w.Wire.Read(p)
	received(w.flow, p[:max(n, 0)], err)
	return n, err
}

func (w *capturedWire) Write(list [][]byte) (int, error) {
	w.flow.Hold()
	n, err := w.Wire.Write(list)
	w.flow.Sent(list, n)
	return n, err
}

// Resent is that of the wire below: see Conn.Retransmits.
func (w *capturedWire) Resent() (uint64, bool) {
	if below, ok := w.Wire.(interface{ Resent() (uint64, bool) }); ok {
		return below.Resent()
	}
	return 0, false
}

func (w *capturedWire) Release() (net.Conn, error) {
	conn, err := w.Wire.Release()
	if err != nil {
		w.flow.Close()
		return nil, err
	}
	return &capturedConn{conn, w.flow}, nil
}
