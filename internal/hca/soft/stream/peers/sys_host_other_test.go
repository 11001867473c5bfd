//go:build !linux

package peers_test

import (
	"syscall"
	"testing"
	"time"
)

func processTime(t testing.TB) time.Duration {
	t.Skip("the processor time of a process is read on Linux only")
	return 0
}

// waiting is unknown on this system: a caller that waits for it to settle only yields a few times.
func (*peer) waiting() int { return 1 }

func limitMSS(int) func(network, address string, raw syscall.RawConn) error { return nil }

func (p *peer) segments() int {
	p.t.Skip("TCP segments can be counted on Linux only")
	return 0
}
