package vipl_test

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestEveryReturnCode provokes each of them.
func TestEveryReturnCode(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		got := map[vipl.Return]bool{}
		expect := func(ret, wanted vipl.Return) {
			t.Helper()
			got[ret] = true
			want(t, ret, wanted)
		}
		a, b := newSide(t, name), newSide(t, name)
		var d *vipl.Descriptor
		expect(vipl.QueryVi(a.vi, nil, nil, nil, nil), vipl.Success)
		expect(vipl.SendDone(a.vi, &d), vipl.NotDone)
		expect(vipl.SendDone(0, &d), vipl.InvalidParameter)
		expect(vipl.DestroyPtag(a.nic, a.ptag), vipl.ErrorResource)
		expect(vipl.RecvWait(a.vi, 1, &d), vipl.Timeout)
		a.postSend(a.desc(0))
		expect(vipl.SendDone(a.vi, &d), vipl.DescriptorError)
		expect(vipl.ConnectPeerDone(a.vi, nil), vipl.InvalidState)
		var addr vipl.NetAddress
		expect(vipl.NSGetHostByName(a.nic, "x", &addr, 0), vipl.ErrorNameservice)
		expect(vipl.ConnectRequest(a.vi, a.address(), a.address(), second, nil), vipl.NoMatch)
		expect(vipl.QuerySystemManagementInfo(a.nic, 2, &vipl.AutodiscoveryList{}), vipl.ErrorNotSupported)

		var vi vipl.VIHandle
		for wanted, change := range map[vipl.Return]func(*vipl.VIAttributes){
			vipl.InvalidReliabilityLevel: func(v *vipl.VIAttributes) { v.ReliabilityLevel = vipl.ServiceUnreliable },
			vipl.InvalidMTU:              func(v *vipl.VIAttributes) { v.MaxTransferSize = 0 },
			vipl.InvalidQOS:              func(v *vipl.VIAttributes) { v.QoS = 1 },
			vipl.InvalidPtag:             func(v *vipl.VIAttributes) { v.Ptag = b.ptag },
		} {
			attrs := a.attrs
			change(&attrs)
			expect(vipl.CreateVi(a.nic, &attrs, 0, 0, &vi), wanted)
			want(t, vipl.SetViAttributes(a.vi, &attrs), wanted)
			if vi != 0 {
				t.Error("a handle of a VI that was not made")
			}
		}

		waits := make(chan vipl.Return, 1)
		at := b.address()
		go func() {
			var conn vipl.ConnHandle
			ret := vipl.ConnectWait(b.nic, at, second, nil, nil, &conn)
			if ret == vipl.Success {
				ret = vipl.ConnectReject(conn)
			}
			waits <- ret
		}()
		expect(retry(b, func() vipl.Return { return vipl.ConnectRequest(a.vi, a.address(), at, second, nil) }), vipl.Reject)
		ok(t, <-waits)

		vipl.WithoutReads(a.nic)
		expect(vipl.CreateVi(a.nic, &a.attrs, 0, 0, &vi), vipl.InvalidRdmaread)
		var h vipl.MemHandle
		want(t, vipl.RegisterMem(a.nic, a.mem.b, 1, &vipl.MemAttributes{EnableRdmaRead: true}, &h), vipl.InvalidRdmaread)
		c := a
		if !device(name) {
			c = newSide(t, "soft-tcp")
		}
		expect(vipl.ConnectRequest(c.vi, c.address(), c.nowhere(), second, nil), vipl.NotReachable)

		faulty, faults := failing(t, name)
		faults.Set(rdmatest.NewZone, rdma.ErrInternal)
		var ptag vipl.ProtectionHandle
		expect(vipl.CreatePtag(faulty.nic, &ptag), vipl.Error)
		for code := vipl.Success; code <= vipl.Error; code++ {
			if !got[code] {
				t.Errorf("nothing gave %v", code)
			}
			if !strings.Contains(code.Error(), "VIP_") || (code.Err() == nil) != (code == vipl.Success) {
				t.Error(code.Error())
			}
		}
		if vipl.Return(99).String() != "VIP_RETURN(99)" {
			t.Error(vipl.Return(99))
		}
	})
}

func TestNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hosts")
	text := "storage-1 10.0.0.1 # one\nstorage-1 10.0.1.1:7000\nsix 2001:db8::1\nnot a line\nbad nothing\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newNIC(t, "soft-loop")
	want(t, vipl.NSShutdown(s.nic), vipl.ErrorNameservice)
	want(t, vipl.NSInit(s.nic, file+"x"), vipl.ErrorNameservice)
	want(t, vipl.NSInit(s.nic, 1), vipl.InvalidParameter)
	ok(t, vipl.NSInit(s.nic, nil))
	t.Setenv("GODAPL_VIHOSTS", file)
	ok(t, vipl.NSInit(s.nic, nil))
	for i, host := range []string{"\x0a\x00\x00\x01", "\x0a\x00\x01\x01\x1b\x58"} {
		a := vipl.MakeNetAddress(nil, []byte("mine"))
		ok(t, vipl.NSGetHostByName(s.nic, "Storage-1", a, uint32(i)))
		if string(a.Host()) != host || string(a.Discriminator()) != "mine" {
			t.Errorf("%q %q", a.Host(), a.Discriminator())
		}
		var name string
		ok(t, vipl.NSGetHostByAddr(s.nic, a, &name))
		if name != "storage-1" {
			t.Error(name)
		}
	}
	var a vipl.NetAddress
	want(t, vipl.NSGetHostByName(s.nic, "storage-1", &a, 2), vipl.ErrorNameservice)
	ok(t, vipl.NSGetHostByName(s.nic, "six", &a, 0))
	if len(a.Host()) != 16 {
		t.Error(a)
	}
	var list vipl.AutodiscoveryList
	ok(t, vipl.QuerySystemManagementInfo(s.nic, vipl.SmiAutodiscovery, &list))
	if list.NumAdAddrs != 4 || len(list.ADAddrArray) != 4 {
		t.Errorf("%+v", list)
	}
	ok(t, vipl.NSShutdown(s.nic))
}

// TestNamesOfTheSystem: a name that is not in the file has the addresses that the system's resolver
// knows, and the other way.
func TestNamesOfTheSystem(t *testing.T) {
	ips, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", "localhost")
	if err != nil {
		t.Skip(err)
	}
	s := newNIC(t, "soft-loop")
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte("elsewhere 10.0.0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, vipl.NSInit(s.nic, file))
	var hosts []netip.Addr
	a := vipl.MakeNetAddress([]byte("1234"), []byte("mine"))
	for i := range ips {
		ok(t, vipl.NSGetHostByName(s.nic, "localhost", a, uint32(i)))
		ip, _ := netip.AddrFromSlice(a.Host())
		if hosts = append(hosts, ip); !ip.IsLoopback() || string(a.Discriminator()) != "mine" {
			t.Errorf("%v %q", ip, a.Discriminator())
		}
		names, _ := net.DefaultResolver.LookupAddr(t.Context(), ip.String())
		if name := ""; len(names) > 0 {
			if ok(t, vipl.NSGetHostByAddr(s.nic, a, &name)); !slices.Contains(names, name) && !slices.Contains(names, name+".") {
				t.Errorf("%v is %q, and the system says %q", ip, name, names)
			}
		}
	}
	for _, ip := range ips {
		if !slices.Contains(hosts, ip.Unmap()) {
			t.Errorf("%v is not among %v", ip, hosts)
		}
	}
	want(t, vipl.NSGetHostByName(s.nic, "localhost", a, uint32(len(ips))), vipl.ErrorNameservice)
}
