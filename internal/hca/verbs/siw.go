package verbs

// What Linux's software iWARP device siw does in its own way, seen with kernel
// 6.12 and rdma-core 44:
//
//   - Its library takes the offset at which the kernel lets a queue be mapped
//     for "no offset" if it is just 0x90000, and then makes no queue. A queue
//     that is mapped across that offset keeps all others away from it
//     (avoidOffset).
//   - A read of no bytes can make it take the answer of a later read for its own
//     and end the connection: a write of no bytes takes its place (build.go).
//   - A receive without segments is refused: it gets one of no bytes.
//   - A send with invalidate takes the key from where that of a write is
//     (build.go); a receive does not tell that one came, nor its key.
//   - Up to 32 bytes that it sends by itself (answers to reads, and what waited
//     in a queue) come out wrong where they reach across the end of a page.
//   - It may answer a read of no bytes wrongly, when it is busy sending.
//   - What a peer sends at once when it has been accepted may lie there until
//     something else comes. The software adapter sends that, and so does this one
//     (rouse.go).
//   - A connect fails with EINVAL if a message of the side that accepted comes
//     together with the answer. So this adapter holds such a message back a while
//     (rouse.go).
//   - Offending bytes, or an end, that come together with a connection's first
//     FPDU bring its kernel down (a BUG in iw_cm).
//   - It takes a local port for a connect that may be in use, or not be free again
//     yet: EADDRINUSE or EADDRNOTAVAIL (connect.go).
//   - It does a request that the peer never answers for done with later ones;
//     and reads are done after writes that were posted behind them (sendq.go).
//   - A refused request mostly looks like an orderly end on the side that
//     refused it, sometimes on both.
//   - It does not check the right to be read by the peer.
//   - The peer can invalidate a region with a send, as if it were a window.
//   - It refuses to fence a read, and a fenced write can wait for ever if the
//     peer reads, too (fence.go).
//   - It does not tell the connecting side how many reads the peer takes, but
//     only keeps to it: ConnInfo.ReadsOut can be more.
//   - It wakes for every receive, or for none: not for solicited ones only.
//   - A region that is freed goes on being read and written by transfers that
//     have begun, for a few packets.
//   - It makes no last-work-request event; the adapter needs none.
//   - A queue pair whose connect the peer has not answered can be destroyed only
//     when the device has given up on the answer, after ten seconds: so long takes
//     Close of one whose Connect was cancelled.
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
	// It stays as long as the context, which is for good.
	d.lib.CreateCQ(d.ctx, siwFiller, 0, 0, 0)
}
