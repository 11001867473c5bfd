package rsocket_test

import (
	"io"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// TestLongMessagesAreExpected: over shared memory both ends look longer for what follows a long message, until a short one
// comes; but not those that never look.
func TestLongMessagesAreExpected(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for _, burst := range []int{0, -1} {
			x, y := pair(t, open(t, name), rsocket.Config{Ring: 1 << 20, Burst: burst})
			near := x.LocalAddr().Network() == "shm" && burst == 0
			for _, v := range []struct {
				n    int
				want bool
			}{{10, false}, {64 << 10, near}, {8 << 10, near}, {100, false}} {
				_, err := x.Write(make([]byte, v.n))
				must(t, err)
				_, err = io.ReadFull(y, make([]byte, v.n))
				must(t, err)
				if x.Eager() != v.want || y.Eager() != v.want {
					t.Errorf("burst %d, behind %d bytes: %v and %v, want %v", burst, v.n, x.Eager(), y.Eager(), v.want)
				}
			}
		}
	})
}
