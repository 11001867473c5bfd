package valkey_test

import (
	"io"
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma/valkey"
)

// TestReadAndWriteDoNotAllocate, neither short ones nor those that fill the buffer.
func TestReadAndWriteDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that they allocate")
	}
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		// Sizes that divide the buffer: a Write that crosses its end waits for the Read.
		for _, size := range []int{64, 8 << 10} {
			x, y := pair(t, a, valkey.Config{Buffer: 32 << 10, Send: 32 << 10})
			out, in := make([]byte, size), make([]byte, size)
			pingPong := func() {
				for _, way := range [][2]*valkey.Conn{{x, y}, {y, x}} {
					if _, err := way[0].Write(out); err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(way[1], in); err != nil {
						t.Fatal(err)
					}
				}
			}
			for range 200 {
				pingPong() // warm: lists have grown
			}
			if n := testing.AllocsPerRun(300, pingPong); n != 0 {
				t.Errorf("%d bytes: %v allocations", size, n)
			}
		}
	})
}
