package wire

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// resetOnWrite is a stream that the peer has reset. The system reports that once: here to the writer, and only
// after the reader was told of an end.
type resetOnWrite struct {
	net.Conn
	eof chan struct{}
}

func (c resetOnWrite) Read([]byte) (int, error)       { close(c.eof); return 0, io.EOF }
func (c resetOnWrite) Write([]byte) (int, error)      { <-c.eof; return 0, errno.Reset }
func (resetOnWrite) SetReadDeadline(time.Time) error  { return nil }
func (resetOnWrite) SetWriteDeadline(time.Time) error { return nil }
func (resetOnWrite) SetDeadline(time.Time) error      { return nil }
func (resetOnWrite) Close() error                     { return nil }

func TestAResetThatTheWriterIsToldOf(t *testing.T) {
	woken := make(chan struct{}, 8)
	w := NewPump(resetOnWrite{eof: make(chan struct{})}, "test", func() { woken <- struct{}{} })
	if _, err := w.Write([][]byte{{1}}); err != nil && !errors.Is(err, errno.Reset) {
		t.Fatal(err)
	}
	for range 2 { // for the end, and for the reset: a waiting goroutine checks again
		<-woken
	}
	if told, err := w.Ended(); !told || !errors.Is(err, errno.Reset) {
		t.Errorf("ended: %v, %v", told, err)
	}
	if _, err := w.Read(make([]byte, 1)); !errors.Is(err, errno.Reset) {
		t.Errorf("read: %v", err)
	}
	_, _ = w.Release(t.Context())
}
