package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

const (
	// spareSend is the number of send queue slots that the consumer cannot use: one,
	// for the probe (a write of no bytes that reports the suppressed requests before
	// it).
	spareSend = 1
	// spareCQE is how many entries a queue of the device has at least for completions that
	// are swallowed, and spareShare, for which share of its depth it has one. Each queue
	// pair may have one probe: when all requests fail together, each request has a
	// completion, and so has the probe.
	spareCQE, spareShare = 16, 8
	// ibPrivate is the room for private data in a request's 92 bytes that the
	// connection manager leaves.
	ibPrivate = 56
	// iwPrivate: the kernel counts private data in one byte, and includes four bytes of
	// the transport.
	iwPrivate = 251
)

// entriesFor is how many entries of the device a completion queue needs.
func entriesFor(depth int) int { return depth + max(spareCQE, (depth+spareShare-1)/spareShare) }

// depthOf is the depth of a completion queue that has so many entries of the device.
func depthOf(entries int) int {
	return int(min(int64(entries-spareCQE), int64(entries)*spareShare/(spareShare+1)))
}

// query asks the device for its attributes.
func (a *adapter) query(name string) error {
	d, e := a.lib.QueryDevice(a.dev.ctx)
	if e != 0 {
		return explain("Open", name, e, "the device does not tell its attributes")
	}
	p, e := a.lib.QueryPort(a.dev.ctx, int(a.port))
	if e != 0 {
		return explain("Open", name, e, "the port does not tell its attributes")
	}
	a.iwarp = a.dev.ctx.Device().TransportType() == ibv.TransportIWARP
	a.rxe, a.siw = d.VendorID == rxeVendor, d.VendorID == siwVendor
	a.softFence = a.rxe || a.siw
	a.attr = hca.Attr{
		Name: name, Vendor: vendorName(d.VendorID), Firmware: d.Firmware(), Address: a.addrs[0].ip.String(),
		Caps:  a.caps(&d),
		MaxQP: int(d.MaxQP), MaxCQ: int(d.MaxCQ), MaxPD: int(d.MaxPD),
		MaxMR: int(d.MaxMR), MaxMW: int(d.MaxMW), MaxSRQ: int(d.MaxSRQ),
		MaxSendWR: int(d.MaxQPWR) - spareSend, MaxRecvWR: int(d.MaxQPWR), MaxSRQWR: int(d.MaxSRQWR),
		MaxCQE: depthOf(int(d.MaxCQE)),
		MaxSGE: int(d.MaxSGE), MaxReadSGE: int(d.MaxSGE),
		MaxMessage: uint64(p.MaxMsgSz), MaxRDMA: uint64(p.MaxMsgSz), MaxRegion: d.MaxMRSize,
		MaxReadsIn: int(d.MaxQPRDAtom), MaxReadsOut: int(d.MaxQPInitRDAtom),
		MaxPrivateData: ibPrivate, PrivatePadded: !a.iwarp, MaxService: maxService, Alignment: 64,
	}
	if a.iwarp {
		a.attr.MaxPrivateData = iwPrivate
		if d.MaxSGERD > 0 {
			a.attr.MaxReadSGE = int(d.MaxSGERD)
		}
	}
	if a.attr.MaxReadsOut == 0 {
		a.attr.MaxReadsOut = a.attr.MaxReadsIn
	}
	// The connection manager counts them in one byte.
	a.attr.MaxReadsIn, a.attr.MaxReadsOut = min(a.attr.MaxReadsIn, 255), min(a.attr.MaxReadsOut, 255)
	if a.attr.MaxMessage == 0 || p.MaxMsgSz == 1<<32-1 {
		a.attr.MaxMessage, a.attr.MaxRDMA = 1<<31, 1<<31
	}
	return nil
}

// caps returns the capabilities of the device. The kernel's iWARP has no immediate data
// and no atomics.
func (a *adapter) caps(d *ibv.DeviceAttr) hca.Caps {
	c := hca.CapSendInvalidate
	if !a.iwarp {
		c = hca.CapWriteImm | hca.CapSendImm | hca.CapReceiveWait
		if d.AtomicCap != 0 {
			c |= hca.CapAtomics
		}
		if d.Caps&ibv.DeviceMemMgtExtensions != 0 {
			c |= hca.CapSendInvalidate
		}
	} else if !a.siw { // the peer's answer is placed as a write is; siw takes any region for it
		c |= hca.CapReadNeedsWrite
	}
	if d.Caps&ibv.DeviceMemWindow != 0 && d.MaxMW > 0 {
		c |= hca.CapZoneWindows
	}
	if d.Caps&(ibv.DeviceMemWindowType2A|ibv.DeviceMemWindowType2B) != 0 && d.MaxMW > 0 {
		c |= hca.CapEndpointWindows
	}
	if d.MaxSRQ > 0 {
		c |= hca.CapSRQ | hca.CapSRQLimit
	}
	if !a.siw {
		c |= hca.CapSolicited | hca.CapResizeCQ
	}
	return c
}

// vendorName returns the names of common vendors.
func vendorName(id uint32) string {
	switch id {
	case 0x02C9, 0x15B3:
		return "NVIDIA Mellanox"
	case 0x14E4:
		return "Broadcom"
	case 0x1425:
		return "Chelsio"
	case 0x8086:
		return "Intel"
	case 0x1D0F:
		return "Amazon"
	}
	return "Linux RDMA"
}
