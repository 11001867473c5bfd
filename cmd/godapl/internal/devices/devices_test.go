package devices

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/internal/sysrdma"
	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The software adapter is on every host, and JSON and text agree on what there is.
func TestThisHost(t *testing.T) {
	call := func(args ...string) string {
		var b bytes.Buffer
		if err := run(t.Context(), args, command.Streams{Out: &b, Err: io.Discard}); command.Code(err) == command.Misused {
			t.Fatal(err)
		}
		return b.String()
	}
	var all []adapter
	if err := json.Unmarshal([]byte(call("-json")), &all); err != nil {
		t.Fatal(err)
	}
	text := call("-v")
	found := false
	for _, a := range all {
		found = found || a.Name == "soft-tcp" && a.Attributes != nil && a.Attributes.MaxSegments > 0
		if !strings.Contains("\n"+text, "\n"+a.Name+"\n") {
			t.Errorf("%s is not in the text", a.Name)
		}
	}
	if !found || len(all) != len(rdma.Adapters()) || !strings.Contains(text, "  MaxSegments  ") {
		t.Errorf("%+v\n%s", all, text)
	}
}

func TestText(t *testing.T) {
	root := fstest.MapFS{}
	for name, text := range map[string]string{
		"node_type": "1: CA", "ports/1/state": "4: ACTIVE", "ports/1/link_layer": "Ethernet", "ports/1/rate": "100 Gb/sec",
		"ports/1/gids/1": "0000:0000:0000:0000:0000:ffff:0a4d:0101", "ports/1/gid_attrs/types/1": "RoCE v2", "ports/1/gid_attrs/ndevs/1": "eth1",
		"ports/1/gids/0": "0000:0000:0000:0000:0000:ffff:0a4d:0101", "ports/1/gid_attrs/types/0": "IB/RoCE v1",
	} {
		root["sys/class/infiniband/x0/"+name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	a := adapter{
		Name: "x0", Attributes: &rdma.Attributes{Vendor: "V", Caps: rdma.Caps{Atomics: true}, MaxRegions: 7},
		Device: &sysrdma.Devices(root)[0],
	}
	var b strings.Builder
	a.write(&b, true)
	for _, want := range []string{
		"x0\n", "  vendor               V\n", "  has                  Atomics\n", "  MaxRegions           7\n", "  MaxWindows           -\n",
		"  port 1               ACTIVE, Ethernet, 100 Gb/sec, interface eth1\n",
		"    GID 0              IB/RoCE v1 10.77.1.1\n",
		"    GID 1              RoCE v2    10.77.1.1, taken for connections from this address\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	b.Reset()
	(&adapter{Name: "x1", Error: "broken"}).write(&b, false)
	if b.String() != "x1\n  cannot be opened: broken\n\n" {
		t.Errorf("%q", &b)
	}
}
