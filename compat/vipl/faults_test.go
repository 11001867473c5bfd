package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// failing is a side whose adapter fails on demand.
func failing(t *testing.T, name string) (*side, *rdmatest.Faults) {
	t.Helper()
	faults := &rdmatest.Faults{}
	faulty := "acme-vipl-" + name
	remove, err := rdmatest.RegisterFaulty(faulty, name, faults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	s := newSide(t, faulty)
	s.name = name
	return s, faults
}

// TestLimitsOfObjects: what the adapter has no room for is ERROR_RESOURCE, with a null handle, and
// is there when it has room again. For regions see TestNoRoomForARegion.
func TestLimitsOfObjects(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s, faults := failing(t, name)
		for _, c := range []struct {
			what  string
			fault rdmatest.Call
			make  func() (uint64, vipl.Return)
		}{
			{"protection tags", rdmatest.NewZone, func() (uint64, vipl.Return) {
				h := vipl.ProtectionHandle(1)
				ret := vipl.CreatePtag(s.nic, &h)
				return uint64(h), ret
			}},
			{"completion queues", rdmatest.NewCompletionQueue, func() (uint64, vipl.Return) {
				h := vipl.CQHandle(1)
				ret := vipl.CreateCQ(s.nic, 8, &h)
				return uint64(h), ret
			}},
			{"VIs", rdmatest.NewCompletionQueue, func() (uint64, vipl.Return) {
				h := vipl.VIHandle(1)
				ret := vipl.CreateVi(s.nic, &s.attrs, 0, 0, &h)
				return uint64(h), ret
			}},
			{"NICs", rdmatest.Open, func() (uint64, vipl.Return) {
				h := vipl.NICHandle(1)
				ret := vipl.OpenNic("acme-vipl-"+name, &h)
				if ret == vipl.Success {
					vipl.CloseNic(h)
				}
				return uint64(h), ret
			}},
		} {
			faults.Set(c.fault, rdma.ErrResources)
			if h, ret := c.make(); ret != vipl.ErrorResource || h != 0 {
				t.Errorf("%s: %v, handle %#x", c.what, ret, h)
			}
			faults.Clear()
			if h, ret := c.make(); ret != vipl.Success || h == 0 {
				t.Errorf("%s, with room again: %v, handle %#x", c.what, ret, h)
			}
		}
		// The queue pair of a VI is made when it connects.
		faults.Set(rdmatest.ConnectEndpoint, rdma.ErrResources)
		want(t, vipl.ConnectRequest(s.vi, s.address(), s.address(), second, nil), vipl.ErrorResource)
		if s.state() != vipl.StateIdle {
			t.Error(s.state())
		}
		faults.Clear()
		connect(newSide(t, name), s)
	})
}

// nowhere is the address of a host that cannot be reached: for TCP a group, to which nobody can
// connect, and for a device an address for documents of IPv6, to which it has no way. (IPv4 ends
// in a timeout: it has a default route.)
func (s *side) nowhere() *vipl.NetAddress {
	host := []byte{224, 0, 0, 1}
	if device(s.name) {
		host = []byte{0x20, 0x01, 0x0d, 0xb8, 15: 1}
	}
	return vipl.MakeNetAddress(host, s.address().Discriminator())
}

// TestHostsThatAreNotThere: adapters without a network know no hosts, only that nobody waits.
func TestHostsThatAreNotThere(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		r, _ := s.recv(8)
		wanted := vipl.NotReachable
		if name == "soft-loop" || name == "soft-shm" {
			wanted = vipl.NoMatch
		}
		want(t, vipl.ConnectRequest(s.vi, s.address(), s.nowhere(), second, nil), wanted)
		if s.state() != vipl.StateIdle {
			t.Fatal(s.state())
		}
		other := newSide(t, name)
		connect(s, other) // the receive is there
		other.sent(other.postSend(other.desc(0)), 0)
		s.received(r, vipl.StatusOpReceive)
	})
}
