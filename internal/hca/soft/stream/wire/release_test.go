package wire

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestReleaseWritesTheRest: what the pump has accepted is written while there is time, and given up behind it.
func TestReleaseWritesTheRest(t *testing.T) {
	for read, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: 30*time.Second + LingerTime/8} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			w := NewPump(ours, "test", func() {})
			if n, err := w.Write([][]byte{make([]byte, 1000)}); n != 1000 || err != nil {
				t.Fatal(n, err)
			}
			time.AfterFunc(read, func() {
				_, _ = io.ReadFull(theirs, make([]byte, 1000))
			})
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			begun := time.Now()
			conn, err := w.Release(ctx)
			if d := time.Since(begun); d != want {
				t.Errorf("a peer that reads after %v: released after %v, want %v", read, d, want)
			}
			if late := read > 30*time.Second; (err != nil) != late {
				t.Errorf("a peer that reads after %v: %v", read, err)
			}
			if conn != nil {
				_ = conn.Close()
			}
			_ = theirs.Close()
		})
	}
}
