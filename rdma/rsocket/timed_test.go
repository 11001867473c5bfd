package rsocket_test

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// timed runs a test of two ends in one process, where waiting costs no time.
func timed(t *testing.T, cfg rsocket.Config, f func(t *testing.T, x, y *rsocket.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
		must(t, err)
		defer a.Close()
		theirs := cfg
		theirs.KeepAlive = 0
		ln, err := rsocket.Listen(t.Context(), a, "localhost:0", theirs)
		must(t, err)
		defer ln.Close()
		d := rsocket.Dialer{Adapter: a, Config: cfg}
		x, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
		must(t, err)
		defer x.Close()
		y, err := ln.Accept()
		must(t, err)
		defer y.Close()
		f(t, x.(*rsocket.Conn), y.(*rsocket.Conn))
	})
}

// TestDeadlinesMove: the deadline of a Read and of a Write that wait is moved back, then forward.
func TestDeadlinesMove(t *testing.T) {
	timed(t, rsocket.Config{}, func(t *testing.T, x, _ *rsocket.Conn) {
		calls := map[string]func() (int, error){
			"read":  func() (int, error) { return x.Read(make([]byte, 1)) },
			"write": func() (int, error) { return x.Write(make([]byte, 1<<20)) }, // nobody reads it
		}
		for what, call := range calls {
			begun := time.Now()
			must(t, x.SetDeadline(begun.Add(time.Hour)))
			done := make(chan error, 1)
			go func() {
				_, err := call()
				done <- err
			}()
			synctest.Wait()
			<-time.After(50 * time.Minute)
			must(t, x.SetDeadline(begun.Add(3*time.Hour)))
			<-time.After(time.Hour)
			synctest.Wait()
			select {
			case err := <-done:
				t.Fatalf("%s: it keeps to a deadline that was moved: %v", what, err)
			default:
			}
			must(t, x.SetDeadline(begun.Add(2*time.Hour)))
			err := <-done
			var timeout net.Error
			if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("%s: %v", what, err)
			}
			if d := time.Since(begun); d != 2*time.Hour {
				t.Errorf("%s: it took %v", what, d)
			}
			must(t, x.SetDeadline(time.Time{}))
		}
	})
}

// TestKeepAlive: silence is probed once in each period, and costs the peer nothing. The connection
// works afterwards.
func TestKeepAlive(t *testing.T) {
	const day = 24 * time.Hour
	timed(t, rsocket.Config{KeepAlive: time.Hour}, func(t *testing.T, x, y *rsocket.Conn) {
		done := make(chan error)
		go func() {
			_, err := x.Read(make([]byte, 1))
			done <- err
		}()
		synctest.Wait()
		before := x.Handled()
		<-time.After(day + time.Minute)
		synctest.Wait()
		if n := x.Handled() - before; n < 23 || n > 24 {
			t.Errorf("%d probes in a day", n)
		}
		if n := y.Handled(); n > 8 {
			t.Errorf("the peer, which reads nothing, has handled %d events", n)
		}
		_, err := y.Write([]byte("x"))
		must(t, err)
		must(t, <-done)
	})
}
