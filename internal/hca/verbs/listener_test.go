package verbs

import (
	"net/netip"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A request may come as soon as the library listens, and its refusal is reported with the
// listener's address.
func TestAddressBeforeRequests(t *testing.T) {
	var l *listener
	lib, release := ibv.Serve(func(name string) ibv.Func {
		return func([5]uintptr) (uintptr, ibv.Errno) {
			switch name {
			case "rdma_get_src_port":
				return uintptr(ibv.NetworkPort(7471)), 0
			case "rdma_listen":
				(&request{ad: l.ad, answered: true}).refuseBecause(l, "why")
			}
			return 0, 0
		}
	})
	defer release()
	var told []string
	a := &adapter{lib: lib, dev: &device{lib: lib}, addrs: []local{{ip: netip.MustParseAddr("192.0.2.1"), port: 1}}}
	a.opt.Refused = func(_ string, cause error) { told = append(told, cause.(*hca.Error).Object) }
	id := &cmID{ID: ibv.NewID(0, 0, ibv.PortSpaceTCP)}
	defer ibv.FreeObject(id.ID)
	l = &listener{ad: a, id: id}
	if err := l.open("Listen", netip.AddrPort{}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0] != "192.0.2.1:7471" {
		t.Errorf("told of %q", told)
	}
}
