//go:build linux || darwin

package dat_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma/mem"
)

func TestTrap23TheCookieIsFortyBytes(t *testing.T) {
	s := newSide(t, usual, nil)
	name := fmt.Sprintf("dat-%d", os.Getpid())
	shared, err := mem.OpenShared(name, 8192)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.RemoveShared(name)
	defer shared.Close()
	cookie := dat.LMRCookie{0: 'x', 39: byte(os.Getpid())}
	create := func(b []byte, c dat.LMRCookie) (h dat.LMRHandle, ret dat.Return) {
		d := dat.RegionDescription{ForSharedMemory: dat.SharedMemory{VirtualAddress: b, SharedMemoryID: &c}}
		ret = dat.LMRCreate(s.ia, dat.MemTypeSharedVirtual, d, dat.Vlen(len(b)), s.pz, allPriv, &h, nil, nil, nil, nil)
		return h, ret
	}
	first, ret := create(shared.Bytes()[:4096], cookie)
	ok(t, ret)
	second, ret := create(shared.Bytes()[:4096], cookie)
	ok(t, ret)
	_, ret = create(shared.Bytes()[4096:], cookie)
	want(t, ret, dat.InvalidParameter)
	other := cookie
	other[38] = 1 // after many zeros
	third, ret := create(shared.Bytes()[4096:], other)
	ok(t, ret)
	_, ret = create(make([]byte, 4096), cookie)
	want(t, ret, dat.InvalidState)
	for _, h := range []dat.LMRHandle{first, second, third} {
		ok(t, dat.LMRFree(h))
	}
}
