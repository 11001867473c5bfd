package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestALimitOfZeroIsALimit: a request that the attributes of the endpoint rule out is refused in the same way
// whether it is a simple one, for which the call takes the short way, or not.
func TestALimitOfZeroIsALimit(t *testing.T) {
	for _, c := range []struct {
		name              string
		change            func(*dat.EPAttr)
		send, read, write dat.Return
	}{
		{"requests", func(a *dat.EPAttr) { a.MaxRequestDTOS = 0 },
			dat.InsufficientResources, dat.InsufficientResources, dat.InsufficientResources},
		{"segments of reads", func(a *dat.EPAttr) { a.MaxRDMAReadIOV = 0 }, dat.Success, dat.InvalidParameter, dat.Success},
		{"segments of writes", func(a *dat.EPAttr) { a.MaxRDMAWriteIOV = 0 }, dat.Success, dat.Success, dat.InvalidParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			passive := newSide(t, usual, nil)
			at := passive.attr()
			c.change(&at)
			active := newSide(t, usual, &at)
			connect(passive, active, usual)
			for range 2 {
				ok(t, dat.EPPostRecv(passive.ep, 1, passive.mem.iov(0, 8), num(0), 0))
			}
			for _, flags := range []dat.CompletionFlags{0, dat.CompletionBarrierFenceFlag} { // the short and the long way
				local, remote := active.mem.iov(0, 8), passive.mem.remote(0, 8)
				want(t, dat.EPPostSend(active.ep, 1, local, num(1), flags), c.send)
				want(t, dat.EPPostRDMARead(active.ep, 1, local, num(2), remote, flags), c.read)
				want(t, dat.EPPostRDMAWrite(active.ep, 1, local, num(3), remote, flags), c.write)
			}
		})
	}
}
