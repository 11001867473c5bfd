package ibv_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// open gives the library and the RDMA devices, or skips the test where there
// are none.
func open(t testing.TB) (*ibv.Lib, []ibv.Context) {
	t.Helper()
	lib, err := ibv.Load()
	if err != nil {
		t.Skip(err)
	}
	list, e := lib.GetDevices()
	if e != 0 {
		t.Skipf("no RDMA device here: %v", e)
	}
	t.Cleanup(func() { lib.FreeDevices(list) })
	if len(list.Contexts) == 0 {
		t.Skip("no RDMA device here")
	}
	return lib, list.Contexts
}

// each runs a test for every device.
func each(t *testing.T, test func(t *testing.T, lib *ibv.Lib, c ibv.Context)) {
	lib, contexts := open(t)
	for _, c := range contexts {
		t.Run(c.Device().Name(), func(t *testing.T) { test(t, lib, c) })
	}
}

// ok fails the test if a call failed.
func ok(t testing.TB, what string, e ibv.Errno) {
	t.Helper()
	if e != 0 {
		t.Fatalf("%s: %v", what, e)
	}
}

func sysfs(t *testing.T, c ibv.Context, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/sys/class/infiniband", c.Device().Name(), file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// groups writes a GUID or GID as the kernel does.
func groups(b []byte) string {
	var s []string
	for ; len(b) > 0; b = b[2:] {
		s = append(s, hex.EncodeToString(b[:2]))
	}
	return strings.Join(s, ":")
}

func TestDeviceList(t *testing.T) {
	lib, contexts := open(t)
	list, e := lib.GetDeviceList()
	ok(t, "ibv_get_device_list", e)
	defer lib.FreeDeviceList(list)
	named := map[string]ibv.Device{}
	for _, d := range list.Devices {
		named[d.Name()] = d
	}
	for _, c := range contexts {
		d := named[c.Device().Name()]
		if d == 0 {
			t.Fatalf("%s is open but not listed", c.Device().Name())
		}
		own, e := lib.OpenDevice(d)
		ok(t, "ibv_open_device", e)
		if own == c || own.Device() != c.Device() {
			t.Errorf("opened again: %#x of device %#x, was %#x of %#x", own, own.Device(), c, c.Device())
		}
		ok(t, "ibv_close_device", lib.CloseDevice(own))
	}
}

// What is read from the library's structures is what the kernel says.
func TestDeviceAttributes(t *testing.T) {
	each(t, func(t *testing.T, lib *ibv.Lib, c ibv.Context) {
		d := c.Device()
		if node := fmt.Sprintf("%d:", d.NodeType()); !strings.HasPrefix(sysfs(t, c, "node_type"), node) {
			t.Errorf("node type %s; the kernel has %s", node, sysfs(t, c, "node_type"))
		}
		if (d.NodeType() == ibv.NodeRNIC) != (d.TransportType() == ibv.TransportIWARP) {
			t.Errorf("node type %d with transport %d", d.NodeType(), d.TransportType())
		}
		if _, err := os.Stat(filepath.Join("/sys/class/infiniband_verbs", d.DevName())); err != nil {
			t.Error(err)
		}
		if n := c.NumCompVectors(); n < 1 || n > 4096 {
			t.Errorf("%d completion vectors", n)
		}
		a, e := lib.QueryDevice(c)
		ok(t, "ibv_query_device", e)
		t.Logf("%+v", a)
		if got, want := groups(a.NodeGUID[:]), sysfs(t, c, "node_guid"); got != want {
			t.Errorf("node GUID %s; the kernel has %s", got, want)
		}
		if got, want := groups(a.SysImageGUID[:]), sysfs(t, c, "sys_image_guid"); got != want {
			t.Errorf("system image GUID %s; the kernel has %s", got, want)
		}
		if a.MaxQP < 1 || a.MaxQPWR < 16 || a.MaxSGE < 1 || a.MaxCQE < 16 || a.MaxMR < 1 || a.PhysPortCnt != 1 {
			t.Errorf("limits are misread: %+v", a)
		}
		p, e := lib.QueryPort(c, 1)
		ok(t, "ibv_query_port", e)
		t.Logf("%+v", p)
		if state := sysfs(t, c, "ports/1/state"); !strings.HasPrefix(state, fmt.Sprintf("%d:", p.State)) {
			t.Errorf("port state %d; the kernel has %s", p.State, state)
		}
		if p.LinkLayer == ibv.LinkLayerEthernet != (sysfs(t, c, "ports/1/link_layer") == "Ethernet") {
			t.Errorf("link layer %d; the kernel has %s", p.LinkLayer, sysfs(t, c, "ports/1/link_layer"))
		}
		if p.MaxMTU.Bytes() == 0 || p.ActiveMTU > p.MaxMTU || p.GIDTblLen < 1 || p.MaxMsgSz == 0 {
			t.Errorf("port is misread: %+v", p)
		}
		g, e := lib.QueryGID(c, 1, 0)
		ok(t, "ibv_query_gid", e)
		if got, want := groups(g[:]), sysfs(t, c, "ports/1/gids/0"); got != want {
			t.Errorf("GID %s; the kernel has %s", got, want)
		}
		if _, e := lib.QueryPort(c, 99); e == 0 {
			t.Error("there is a port 99")
		}
	})
}
