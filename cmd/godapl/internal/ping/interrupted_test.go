package ping

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A client that is interrupted while the server is about to read its source finishes that ping.
func TestInterruptedInsideAPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(within(t))
		defer interrupt()
		adapter, zone, ln := listenOn(t, "soft-loop")
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		ended := make(chan error, 1)
		go func() {
			ended <- run(ctx, []string{"-c", "-a127.0.0.1", "-p" + port, "-Asoft-loop"}, io.Discard, io.Discard)
		}()
		background := t.Context()
		l, err := newLine(adapter, zone)
		if err != nil {
			t.Fatal(err)
		}
		if l.conn, err = (<-ln.Requests()).AcceptOn(background, l.Endpoint, rdma.ConnConfig{}); err != nil {
			t.Fatal(err)
		}
		message, err := l.receive(background)
		if err != nil {
			t.Fatal(err)
		}
		interrupt()
		synctest.Wait()
		buf, err := zone.Alloc(defaultSize, mem.Local)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&options{size: defaultSize, out: io.Discard, errs: io.Discard}).echo(background, l, takeAd(message), buf, 0); err != nil {
			t.Error(err)
		}
		if _, err := l.receive(background); !errors.Is(err, rdma.ErrDisconnected) {
			t.Errorf("behind the last ping: %v", err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
