package sysrdma

import (
	"net/netip"
	"reflect"
	"testing"
	"testing/fstest"
)

// tree makes a file system of names and contents.
func tree(files ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fs[files[i]] = &fstest.MapFile{Data: []byte(files[i+1] + "\n")}
	}
	return fs
}

const rxe = "sys/class/infiniband/rxe0/"

func rxeTree() fstest.MapFS {
	return tree(
		rxe+"node_type", "1: CA", rxe+"fw_ver", "", rxe+"parent", "erxe",
		rxe+"ports/1/state", "4: ACTIVE", rxe+"ports/1/phys_state", "5: LinkUp", rxe+"ports/1/link_layer", "Ethernet",
		rxe+"ports/1/gids/0", "fe80:0000:0000:0000:1234:56ff:fe78:9abc",
		rxe+"ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:0a4d:0101",
		rxe+"ports/1/gids/2", "0000:0000:0000:0000:0000:0000:0000:0000",
		rxe+"ports/1/gids/10", "2001:0db8:0000:0000:0000:0000:0000:0001",
		rxe+"ports/1/gid_attrs/types/0", "RoCE v2", rxe+"ports/1/gid_attrs/ndevs/0", "erxe",
		rxe+"ports/1/gid_attrs/types/1", "RoCE v2", rxe+"ports/1/gid_attrs/ndevs/1", "erxe",
		rxe+"ports/1/gid_attrs/types/10", "IB/RoCE v1", rxe+"ports/1/gid_attrs/ndevs/10", "erxe",
		"sys/class/infiniband_verbs/abi_version", "6",
		"sys/class/infiniband_verbs/uverbs3/ibdev", "rxe0",
	)
}

func TestDevices(t *testing.T) {
	want := []Device{{Name: "rxe0", Transport: "InfiniBand", File: "uverbs3", Ports: []Port{{
		Number: 1, State: "ACTIVE", Physical: "LinkUp", Link: "Ethernet", Interface: "erxe", GIDs: []GID{
			{0, "fe80:0000:0000:0000:1234:56ff:fe78:9abc", V2, "erxe"},
			{1, "0000:0000:0000:0000:0000:ffff:0a4d:0101", V2, "erxe"},
			{10, "2001:0db8:0000:0000:0000:0000:0000:0001", V1, "erxe"},
		},
	}}}}
	if got := Devices(rxeTree()); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := Devices(tree()); got != nil {
		t.Errorf("without a class: %v", got)
	}
}

// siw shows its interface only by the hardware address in its GID.
func TestInterfaceOfIWARP(t *testing.T) {
	d := Devices(tree(
		"sys/class/infiniband/siw0/node_type", "4: RNIC",
		"sys/class/infiniband/siw0/ports/1/gids/0", "5254:0077:0102:0000:0000:0000:0000:0000",
		"sys/class/net/lo/address", "00:00:00:00:00:00",
		"sys/class/net/esiw/address", "52:54:00:77:01:02",
	))
	if len(d) != 1 || !d[0].IWARP() || d[0].Ports[0].Interface != "esiw" {
		t.Errorf("%+v", d)
	}
}

func TestChosen(t *testing.T) {
	v4, v6 := netip.MustParseAddr("10.77.1.1"), netip.MustParseAddr("2001:db8::1")
	p := Devices(rxeTree())[0].Ports[0]
	if g, ok := p.Chosen(v4); !ok || g.Index != 1 {
		t.Errorf("%v, %t", g, ok)
	}
	if g, ok := p.Chosen(v6); ok { // its only entry is of version 1
		t.Errorf("%v", g)
	}
	p.DefaultGID = V1
	if g, ok := p.Chosen(v6); !ok || g.Index != 10 {
		t.Errorf("%v, %t", g, ok)
	}
	p.DefaultGID, p.GIDs = "", p.GIDs[2:]
	if p.Default() != V1 {
		t.Errorf("a port with entries of version 1 alone takes %s", p.Default())
	}
}
