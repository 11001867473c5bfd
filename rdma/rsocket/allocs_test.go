package rsocket_test

import (
	"io"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestReadAndWriteDoNotAllocate, neither short ones nor those that go round the ring.
func TestReadAndWriteDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that they allocate")
	}
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), rsocket.Config{Ring: 128 << 10, MaxRing: 128 << 10, Send: 64 << 10})
		for _, size := range []int{64, 6 << 10, 48 << 10} {
			out, in := make([]byte, size), make([]byte, size)
			pingPong := func() {
				for _, way := range [][2]*rsocket.Conn{{x, y}, {y, x}} {
					if _, err := way[0].Write(out); err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(way[1], in); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 200 {
				pingPong() // warm: rings and lists have grown
			}
			if n := testing.AllocsPerRun(300, pingPong); n != 0 {
				t.Errorf("%d bytes: %v allocations", size, n)
			}
		}
	})
}
