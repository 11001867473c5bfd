// Command datport is a program of C for uDAPL 2.0, testdata/old.c, ported line by line: a server
// that lends memory, and a client that writes to it and reads it back. It keeps the names and the
// order of the C program, so that the two can be compared; new programs look different.
//
//	go run ./examples/datport soft-tcp          the server
//	go run ./examples/datport soft-tcp ADDRESS  the client; ADDRESS is the server's IP address, such as 127.0.0.1
//
// docs/udapl.md tells how many lines testdata/port.sed, a search-and-replace, carries over.
package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"

	"github.com/godapl/godapl/compat/dat"
)

const SIZE = 4096
const QUAL = 45249

// Where struct place has its members, for both sides in the same byte order.
const sizeofPlace = 12

var ia dat.IAHandle
var pz dat.PZHandle
var ep dat.EPHandle
var async_evd, request_evd, recv_evd, conn_evd, cr_evd dat.EVDHandle
var lmr dat.LMRHandle
var lmr_context dat.LMRContext
var rmr_context dat.RMRContext
var area = make([]byte, SIZE)

func check(what string, ret dat.Return) {
	if ret != dat.Success {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, ret)
		os.Exit(1)
	}
}

func wait_for(evd dat.EVDHandle, number dat.EventNumber) dat.Event {
	var event dat.Event
	var more dat.Count

	check("dat_evd_wait", dat.EVDWait(evd, dat.TimeoutInfinite, 1, &event, &more))
	if event.EventNumber != number {
		fmt.Fprintf(os.Stderr, "event %v came, not %v\n", event.EventNumber, number)
		os.Exit(1)
	}
	return event
}

func setup(name dat.NamePtr) {
	var region dat.RegionDescription
	var size dat.Vlen
	var address dat.Vaddr

	check("dat_ia_open", dat.IAOpen(name, 8, &async_evd, &ia))
	check("dat_pz_create", dat.PZCreate(ia, &pz))
	check("dat_evd_create", dat.EVDCreate(ia, 8, 0, dat.EVDDTOFlag, &request_evd))
	check("dat_evd_create", dat.EVDCreate(ia, 8, 0, dat.EVDDTOFlag, &recv_evd))
	check("dat_evd_create", dat.EVDCreate(ia, 8, 0, dat.EVDConnectionFlag, &conn_evd))
	check("dat_evd_create", dat.EVDCreate(ia, 8, 0, dat.EVDCRFlag, &cr_evd))
	region.ForVA = area
	check("dat_lmr_create", dat.LMRCreate20(ia, dat.MemTypeVirtual, region, SIZE, pz, dat.MemPrivAllFlag, dat.VATypeVA, &lmr, &lmr_context, &rmr_context, &size, &address))
	check("dat_ep_create", dat.EPCreate(ia, pz, recv_evd, request_evd, conn_evd, nil, &ep))
}

func local(offset, length int) dat.LMRTriplet {
	var triplet dat.LMRTriplet

	triplet.LMRContext = lmr_context
	triplet.VirtualAddress = dat.VaddrOf(area[offset:])
	triplet.SegmentLength = dat.Vlen(length)
	return triplet
}

func post_recv(offset int) {
	iov := local(offset, 64)
	var cookie dat.DTOCookie

	cookie.As64 = uint64(offset)
	check("dat_ep_post_recv", dat.EPPostRecv(ep, 1, []dat.LMRTriplet{iov}, cookie, dat.CompletionDefaultFlag))
}

func completed(evd dat.EVDHandle, number uint64) {
	event := wait_for(evd, dat.DTOCompletionEvent)
	dto := &event.EventData.DTOCompletionEventData

	if dto.Status != dat.DTOSuccess || dto.UserCookie.As64 != number {
		check("a transfer", dat.InternalError)
	}
}

func server() {
	var psp dat.PSPHandle
	var cr dat.CRHandle
	var event dat.Event
	place := make([]byte, sizeofPlace)

	post_recv(0)
	check("dat_psp_create", dat.PSPCreate(ia, QUAL, cr_evd, dat.PSPConsumerFlag, &psp))
	fmt.Println("ready")
	event = wait_for(cr_evd, dat.ConnectionRequestEvent)
	cr = event.EventData.CRArrivalEventData.CRHandle
	binary.BigEndian.PutUint64(place, uint64(dat.VaddrOf(area[2048:])))
	binary.BigEndian.PutUint32(place[8:], uint32(rmr_context))
	check("dat_cr_accept", dat.CRAccept(cr, ep, sizeofPlace, place))
	wait_for(conn_evd, dat.ConnectionEventEstablished)
	completed(recv_evd, 0)
	fmt.Printf("written: %s\n", area[2048:][:22])
	wait_for(conn_evd, dat.ConnectionEventDisconnected)
	check("dat_psp_free", dat.PSPFree(psp))
}

func client(host string) {
	var event dat.Event
	var iov dat.LMRTriplet
	var rmr dat.RMRTriplet
	var cookie dat.DTOCookie

	addr := &net.IPAddr{IP: net.ParseIP(host)}
	check("dat_ep_connect", dat.EPConnect(ep, addr, QUAL, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
	event = wait_for(conn_evd, dat.ConnectionEventEstablished)
	place := event.EventData.ConnectEventData.PrivateData

	copy(area[512:], "from a program of 2007\x00")
	iov = local(512, 23)
	rmr.RMRContext = dat.RMRContext(binary.BigEndian.Uint32(place[8:]))
	rmr.TargetAddress = dat.Vaddr(binary.BigEndian.Uint64(place))
	rmr.SegmentLength = 23
	cookie.As64 = 1
	check("dat_ep_post_rdma_write", dat.EPPostRDMAWrite(ep, 1, []dat.LMRTriplet{iov}, cookie, &rmr, dat.CompletionDefaultFlag))
	completed(request_evd, 1)
	iov = local(768, 23)
	cookie.As64 = 2
	check("dat_ep_post_rdma_read", dat.EPPostRDMARead(ep, 1, []dat.LMRTriplet{iov}, cookie, &rmr, dat.CompletionDefaultFlag))
	completed(request_evd, 2)
	fmt.Printf("read back: %s\n", area[768:][:22])
	iov = local(512, 23)
	cookie.As64 = 3
	check("dat_ep_post_send", dat.EPPostSend(ep, 1, []dat.LMRTriplet{iov}, cookie, dat.CompletionDefaultFlag))
	completed(request_evd, 3)
	check("dat_ep_disconnect", dat.EPDisconnect(ep, dat.CloseGracefulFlag))
	wait_for(conn_evd, dat.ConnectionEventDisconnected)
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 || len(os.Args) == 3 && net.ParseIP(os.Args[2]) == nil {
		fmt.Fprintln(os.Stderr, "usage: datport IA [ADDRESS]    ADDRESS is an IP address; without it this is the server")
		os.Exit(1)
	}
	setup(os.Args[1])
	if len(os.Args) == 2 {
		server()
	} else {
		client(os.Args[2])
	}
	check("dat_ep_free", dat.EPFree(ep))
	check("dat_lmr_free", dat.LMRFree(lmr))
	check("dat_evd_free", dat.EVDFree(request_evd))
	check("dat_evd_free", dat.EVDFree(recv_evd))
	check("dat_evd_free", dat.EVDFree(conn_evd))
	check("dat_evd_free", dat.EVDFree(cr_evd))
	check("dat_pz_free", dat.PZFree(pz))
	check("dat_ia_close", dat.IAClose(ia, dat.CloseGracefulFlag))
}
