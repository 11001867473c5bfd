package verbs

// Deviations of Linux's software iWARP device siw, seen with kernel 6.12 and rdma-core
// 44:
//
//   - If the kernel lets a queue be mapped at offset 0x90000, its library takes
//     that for "no offset" and makes no queue. A queue mapped across that offset
//     keeps all others away from it (avoidOffset).
//   - After a read of no bytes it may take the response of a later read for that
//     of the first and end the connection: a write of no bytes is posted instead
//     (build.go).
//   - It refuses a receive without segments: it gets a segment of no bytes.
//   - A send with invalidate takes the key from the field that a write uses
//     (build.go). A receive reports neither the invalidation nor the key.
//   - Up to 32 bytes that it sends by itself (responses to reads, and requests
//     that waited in a queue) are wrong where they cross the end of a page. So a
//     request is cut there (siwcut.go); the peer's reads cannot be helped.
//   - A request of a page or more that is not signaled is sent out of the
//     consumer's memory even after later requests have completed. So all such
//     requests are signaled (sendq.go).
//   - It may answer a read of no bytes wrongly when it is busy sending.
//   - Data that the peer sends right after it was accepted may go unnoticed
//     until more data comes. Both the software adapter and this one send
//     something more (nudge.go).
//   - A connect fails with EINVAL if a message of the accepting side arrives
//     together with the answer. So this adapter delays such a message
//     (nudge.go).
//   - Offending bytes, or an end, that arrive together with a connection's
//     first FPDU crash its kernel (a BUG in iw_cm).
//   - A request that arrives as its listener is closed may get no answer: the
//     connection manager of Linux drops what it has not yet handed on (iw_cm,
//     which all iWARP devices share).
//   - For a connect it may choose a local port that is in use or not free again
//     yet: EADDRINUSE or EADDRNOTAVAIL (connect.go).
//   - It completes a request that the peer never answers when later requests
//     complete, and completes reads after writes that were posted later
//     (sendq.go).
//   - A request that it cannot send, mostly since the peer has just left, gives
//     a completion that says that the request does not fit (retire.go), and an
//     event that the queue pair has failed. The completion tells which request
//     it was, so the event counts as a peer that leaves (end.go).
//   - A refused request mostly looks like an orderly end on the side that
//     refused it, sometimes on both.
//   - It does not check the right to be read by the peer.
//   - The peer can invalidate a region with a send, as if it were a window.
//   - It refuses to fence a read, and a fenced write can wait for ever if the
//     peer reads, too (fence.go).
//   - It does not tell the connecting side how many reads the peer accepts, but
//     observes the limit: ConnInfo.ReadsOut can be too large.
//   - It wakes for every receive or for none, not for solicited ones only.
//   - Transfers that have begun continue to read and write a freed region for a
//     few packets.
//   - It makes no last-work-request event; the adapter does not wait for it.
//   - If the peer has not answered a connect, the queue pair can be destroyed
//     only when the device has given up, after ten seconds. Close of a queue
//     pair whose Connect was cancelled takes that long.
const (
	// siwVendor is its vendor number.
	siwVendor = 0x626D74
	// siwFiller is as many entries as reach across the offset, at 32 bytes each.
	siwFiller = 0x91000 / 32
)

// avoidOffset is called before the context has any other queue.
func (d *device) avoidOffset() {
	attr, e := d.lib.QueryDevice(d.ctx)
	if e != 0 || attr.VendorID != siwVendor {
		return
	}
	// It stays as long as the context.
	d.lib.CreateCQ(d.ctx, siwFiller, 0, 0, 0)
}
