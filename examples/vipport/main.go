// Command vipport is a program of C for VIA, testdata/old.c, ported line by line: a server that
// lends memory, and a client that writes to it and reads it back. It keeps the names and the
// order of the C program, so that the two can be compared; new programs look different.
//
//	go run ./examples/vipport soft-tcp server
//	go run ./examples/vipport soft-tcp client
//
// Both run on one host: the client looks for the server at its own NIC, until there is one.
//
// docs/vipl.md tells how many lines testdata/port.sed, a search-and-replace, carries over.
package main

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/godapl/godapl/compat/vipl"
)

const SIZE = 4096
const AREA = (SIZE + 1024)

var nic vipl.NICHandle
var ptag vipl.ProtectionHandle
var vi vipl.VIHandle
var cq vipl.CQHandle
var handle vipl.MemHandle
var area []byte

func check(what string, ret vipl.Return) {
	if ret != vipl.Success {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, ret)
		os.Exit(1)
	}
}

func address(discriminator string) *vipl.NetAddress {
	var attrs vipl.NICAttributes

	check("VipQueryNic", vipl.QueryNic(nic, &attrs))
	return vipl.MakeNetAddress(attrs.LocalNicAddress, []byte(discriminator))
}

func setup(name string) {
	var mem vipl.MemAttributes
	var attrs vipl.VIAttributes

	check("VipOpenNic", vipl.OpenNic(name, &nic))
	check("VipCreatePtag", vipl.CreatePtag(nic, &ptag))
	area = vipl.Memalign(vipl.DescriptorAlignment, AREA)
	mem.Ptag = ptag
	mem.EnableRdmaWrite = true
	mem.EnableRdmaRead = true
	check("VipRegisterMem", vipl.RegisterMem(nic, area, AREA, &mem, &handle))
	check("VipCreateCQ", vipl.CreateCQ(nic, 64, &cq))
	attrs.ReliabilityLevel = vipl.ServiceReliableDelivery
	attrs.MaxTransferSize = SIZE
	attrs.Ptag = ptag
	attrs.EnableRdmaWrite = true
	attrs.EnableRdmaRead = true
	check("VipCreateVi", vipl.CreateVi(nic, &attrs, 0, cq, &vi))
}

func descriptor(i int) *vipl.Descriptor {
	desc := vipl.DescriptorAt(area[SIZE+64*i:])

	clear(area[SIZE+64*i:][:64])
	return desc
}

func post_recv(i int) {
	desc := descriptor(i)

	desc.CS.SegCount = 1
	desc.CS.Length = 64
	desc.DS[0].Local.Data = vipl.AddressOf(area[64*i:])
	desc.DS[0].Local.Handle = handle
	desc.DS[0].Local.Length = 64
	check("VipPostRecv", vipl.PostRecv(vi, desc, handle))
}

func next() *vipl.Descriptor {
	var desc *vipl.Descriptor
	var which vipl.VIHandle
	var queue bool
	var ret vipl.Return

	for {
		ret = vipl.CQDone(cq, &which, &queue)
		if ret != vipl.NotDone {
			break
		}
	}
	check("VipCQDone", ret)
	if which != vi || !queue {
		check("an entry for another queue", vipl.Error)
	}
	check("VipRecvDone", vipl.RecvDone(vi, &desc))
	return desc
}

func request(desc *vipl.Descriptor) {
	var done *vipl.Descriptor

	check("VipPostSend", vipl.PostSend(vi, desc, handle))
	check("VipSendWait", vipl.SendWait(vi, vipl.Infinite, &done))
	if done != desc {
		check("another descriptor", vipl.Error)
	}
}

// place is where struct place has its members, for both sides in the same byte order.
const place = 12

func server() {
	var conn vipl.ConnHandle
	var remote vipl.NetAddress
	var attrs vipl.VIAttributes
	var desc *vipl.Descriptor
	var which vipl.VIHandle
	var queue bool

	post_recv(1)
	check("VipConnectWait", vipl.ConnectWait(nic, address("port-of-server-A"), vipl.Infinite, &remote, &attrs, &conn))
	check("VipConnectAccept", vipl.ConnectAccept(conn, vi))
	binary.BigEndian.PutUint64(area, vipl.AddressOf(area[2048:]))
	binary.BigEndian.PutUint32(area[8:], uint32(handle))
	desc = descriptor(0)
	desc.CS.SegCount = 1
	desc.CS.Control = vipl.ControlOpSendrecv
	desc.CS.Length = place
	desc.DS[0].Local.Data = vipl.AddressOf(area)
	desc.DS[0].Local.Handle = handle
	desc.DS[0].Local.Length = place
	request(desc)
	desc = next()
	if (desc.CS.Status & vipl.StatusOpMask) != vipl.StatusOpRemoteRDMAWrite {
		check("no write", vipl.Error)
	}
	fmt.Printf("written: %s\n", area[2048:][:desc.CS.ImmediateData])
	post_recv(1)
	vipl.CQWait(cq, vipl.Infinite, &which, &queue) // the client has gone
	vipl.RecvDone(vi, &desc)
}

func client() {
	var attrs vipl.VIAttributes
	var desc *vipl.Descriptor
	var ret vipl.Return

	post_recv(1)
	for {
		ret = vipl.ConnectRequest(vi, address("port-of-client-0"), address("port-of-server-B"), 10000, &attrs)
		if ret != vipl.NoMatch {
			check("somebody else answers", vipl.Error)
		}
		ret = vipl.ConnectRequest(vi, address("port-of-client-0"), address("port-of-server-A"), 10000, &attrs)
		if ret != vipl.NoMatch {
			break
		}
	}
	check("VipConnectRequest", ret)
	next()

	copy(area[512:], "from a program of 1998")
	desc = descriptor(2)
	desc.CS.SegCount = 2
	desc.CS.Control = vipl.ControlOpRdmawrite | vipl.ControlImmediate
	desc.CS.ImmediateData = 22
	desc.CS.Length = 22
	desc.DS[0].Remote().Data = binary.BigEndian.Uint64(area[64:])
	desc.DS[0].Remote().Handle = vipl.MemHandle(binary.BigEndian.Uint32(area[72:]))
	desc.DS[1].Local.Data = vipl.AddressOf(area[512:])
	desc.DS[1].Local.Handle = handle
	desc.DS[1].Local.Length = 22
	request(desc)

	desc.CS.Status = 0
	desc.CS.Control = vipl.ControlOpRdmaread | vipl.ControlQfence
	desc.DS[1].Local.Data = vipl.AddressOf(area[768:])
	request(desc)
	fmt.Printf("read back: %s\n", area[768:][:22])
}

func main() {
	if len(os.Args) != 3 || os.Args[2] != "server" && os.Args[2] != "client" {
		fmt.Fprintln(os.Stderr, "usage: vipport NIC server|client")
		os.Exit(1)
	}
	setup(os.Args[1])
	if os.Args[2] == "server" {
		server()
	} else {
		client()
	}
	check("VipDisconnect", vipl.Disconnect(vi))
	check("VipDestroyVi", vipl.DestroyVi(vi))
	check("VipDestroyCQ", vipl.DestroyCQ(cq))
	check("VipDeregisterMem", vipl.DeregisterMem(nic, area, handle))
	check("VipDestroyPtag", vipl.DestroyPtag(nic, ptag))
	check("VipCloseNic", vipl.CloseNic(nic))
}
