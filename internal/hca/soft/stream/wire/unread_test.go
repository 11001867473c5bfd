package wire

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
)

// TestAnEndBehindUnreadBytes: an end is noticed while what came before it waits to be read, in how many pieces it came
// whatsoever, as long as there is room for it.
func TestAnEndBehindUnreadBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		w := NewPump(ours, "test", func() {})
		go func() {
			defer theirs.Close()
			for i := range byte(100) {
				_, _ = theirs.Write([]byte{i})
			}
		}()
		synctest.Wait()
		if told, err := w.Ended(); !told || err != nil {
			t.Errorf("ended: %v, %v", told, err)
		}
		var b [7]byte
		for next := 0; ; {
			n, err := w.Read(b[:])
			for _, x := range b[:n] {
				if x != byte(next) {
					t.Fatalf("byte %d is %d", next, x)
				}
				next++
			}
			if err == io.EOF && next == 100 {
				break
			}
			if err != nil {
				t.Fatal(next, err)
			}
		}
		if conn, err := w.Release(t.Context()); err == nil {
			_ = conn.Close()
		}
	})
}

// TestUnreadBytesAreBounded: the pump holds no more than its buffer of what nobody reads.
func TestUnreadBytesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		w := NewPump(ours, "test", func() {})
		taken := 0
		go func() {
			for piece := make([]byte, 10_000); ; taken += len(piece) {
				if _, err := theirs.Write(piece); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if taken > 2*pumpBuffer || len(w.in) > pumpBuffer {
			t.Errorf("%d bytes were taken, %d are in the buffer", taken, len(w.in))
		}
		if conn, err := w.Release(t.Context()); err == nil {
			_ = conn.Close()
		}
	})
}
