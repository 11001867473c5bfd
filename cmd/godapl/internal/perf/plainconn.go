package perf

import (
	"context"
	"io"
	"net"
)

func dialPlain(ctx context.Context, do, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, plains[do].network, address)
}

// connPing writes to a connection, and reads the answer.
type connPing struct {
	c   net.Conn
	buf []byte
}

func (p *connPing) once() error {
	if _, err := p.c.Write(p.buf); err != nil {
		return err
	}
	_, err := io.ReadFull(p.c, p.buf)
	return err
}

func (p *connPing) close() error { return p.c.Close() }

// A reader is a goroutine that reads messages from a connection and passes them on in a
// channel, so that a select can wait for them.
type reader struct {
	messages chan []byte
	over     chan struct{} // when nobody receives any more
	err      error         // after the end of messages
}

// readerRoom is how many messages the channel holds.
const readerRoom = 16

func newReader(c io.Reader, size int) *reader {
	r := &reader{messages: make(chan []byte, readerRoom), over: make(chan struct{})}
	go func() {
		defer close(r.messages)
		// One message is in the receiver's hands, and one is being read.
		var bufs [readerRoom + 2][]byte
		for i := 0; ; i++ {
			b := &bufs[i%len(bufs)]
			if *b == nil {
				*b = make([]byte, size)
			}
			if _, r.err = io.ReadFull(c, *b); r.err != nil {
				return
			}
			select {
			case r.messages <- *b:
			case <-r.over:
				return
			}
		}
	}()
	return r
}

// readerPing has its answers from a reader.
type readerPing struct {
	c   net.Conn
	buf []byte
	*reader
}

func newReaderPing(c net.Conn, size int) *readerPing {
	return &readerPing{c, make([]byte, size), newReader(c, size)}
}

func (p *readerPing) once() error {
	if _, err := p.c.Write(p.buf); err != nil {
		return err
	}
	if _, ok := <-p.messages; !ok {
		return p.err
	}
	return nil
}

func (p *readerPing) close() error {
	close(p.over)
	err := p.c.Close()
	for range p.messages { // until it has ended
	}
	return err
}

// serveReader answers what a reader brings.
func serveReader(c net.Conn, size int, _ <-chan struct{}) error {
	r := newReader(c, size)
	defer close(r.over)
	for b := range r.messages {
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
	return notEOF(r.err)
}
