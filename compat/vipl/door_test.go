package vipl_test

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// at is the address of a side at a port, with a discriminator whose last byte is last.
func (s *side) at(port int, last byte) *vipl.NetAddress {
	return vipl.MakeNetAddress(append(slices.Clone(s.host), byte(port>>8), byte(port)), append([]byte("one door, 16 by"), last))
}

// port is one that no other test uses, and one below it.
func port() int { return 8193 + (31*os.Getpid()+2*int(discriminators.Add(1)))%8190 }

// waiting returns when a call waits for a request at an open listener of the side.
func (s *side) waiting() {
	for vipl.Waits(s.nic) == 0 {
		runtime.Gosched()
	}
}

// TestOneDoorManyDiscriminators: at one port, a request finds the call that waits for its
// discriminator, and no other.
func TestOneDoorManyDiscriminators(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b, port := newSide(t, name), newSide(t, name), port()
		waits := make(chan vipl.Return, 1)
		go func() {
			var conn vipl.ConnHandle
			ret := vipl.ConnectWait(a.nic, a.at(port, 1), second, nil, nil, &conn)
			if ret == vipl.Success {
				ret = vipl.ConnectAccept(conn, a.vi)
			}
			waits <- ret
		}()
		a.waiting()
		for _, last := range []byte{0, 2} {
			want(t, vipl.ConnectRequest(b.vi, b.address(), a.at(port, last), second, nil), vipl.NoMatch)
		}
		ok(t, vipl.ConnectRequest(b.vi, b.address(), a.at(port, 1), second, nil))
		ok(t, <-waits)
	})
}

// TestOneDoorManyPeers: both discriminators must be those of the peer.
func TestOneDoorManyPeers(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b, port := newSide(t, name), newSide(t, name), port()
		ok(t, vipl.ConnectPeerRequest(a.vi, a.at(port, 1), b.at(port-1, 1), second)) // the greater address waits
		a.waiting()
		for _, last := range [][2]byte{{1, 2}, {2, 1}} {
			ok(t, vipl.ConnectPeerRequest(b.vi, b.at(port-1, last[0]), a.at(port, last[1]), 100))
			want(t, vipl.ConnectPeerWait(b.vi, nil), vipl.Timeout)
			want(t, vipl.ConnectPeerDone(a.vi, nil), vipl.NotDone)
		}
		ok(t, vipl.ConnectPeerRequest(b.vi, b.at(port-1, 1), a.at(port, 1), second))
		ok(t, vipl.ConnectPeerWait(b.vi, nil))
		ok(t, vipl.ConnectPeerWait(a.vi, nil))
	})
}

// TestTwoNICsAtOnePort: the second one hears that the port is taken, whatever its discriminator.
func TestTwoNICsAtOnePort(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b, port := newNIC(t, name), newNIC(t, name), port()
		waits := make(chan vipl.Return, 1)
		go func() {
			var conn vipl.ConnHandle
			waits <- vipl.ConnectWait(a.nic, a.at(port, 1), vipl.Infinite, nil, nil, &conn)
		}()
		a.waiting()
		conn := vipl.ConnHandle(1)
		want(t, vipl.ConnectWait(b.nic, b.at(port, 2), second, nil, nil, &conn), vipl.ErrorResource)
		if conn != 0 {
			t.Errorf("the handle is %#x", conn)
		}
		ok(t, vipl.CloseNic(a.nic))
		want(t, <-waits, vipl.InvalidParameter)
	})
}
