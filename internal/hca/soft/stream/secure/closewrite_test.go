package secure_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
	"github.com/godapl/godapl/internal/tlstest"
)

// TestCloseWriteKeepsTheDeadline: crypto/tls gives its alert five seconds of its own; the stream's deadline counts,
// sooner or later, also if it is set meanwhile.
func TestCloseWriteKeepsTheDeadline(t *testing.T) {
	for _, after := range []time.Duration{time.Second, time.Minute} {
		for _, meanwhile := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				defer near.Close()
				defer far.Close()
				own := tlstest.NewAuthority().Config("peer.test")
				own.SessionTicketsDisabled = true // nobody reads
				config, err := secure.NewConfig(own)
				if err != nil {
					t.Fatal(err)
				}
				x, y := config.Client(near, "peer.test:1"), config.Server(far)
				shaken := make(chan error)
				go func() { shaken <- y.Handshake(context.Background()) }()
				if err := errors.Join(x.Handshake(t.Context()), <-shaken); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if meanwhile {
					time.AfterFunc(after, func() { _ = y.SetWriteDeadline(time.Unix(1, 0)) })
				} else {
					_ = y.SetDeadline(began.Add(after))
				}
				if err := y.CloseWrite(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("nobody reads, and the alert is sent: %v", err)
				}
				if took := time.Since(began); took != after {
					t.Errorf("it took %v, the deadline is after %v", took, after)
				}
			})
		}
	}
}
