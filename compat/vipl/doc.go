// Package vipl is VIPL 1.0, the Virtual Interface Provider Library, call by call, on top of
// packages rdma, rdma/event and rdma/mem: for programs that were written for VIA in C. New
// programs should use package rdma.
//
// # Names
//
// A name of C becomes a name here by one rule. A call drops Vip: VipRegisterMem is
// [RegisterMem]. All other names drop VIP_, are split at the underscores, have every word
// written with a capital, and are joined. These words are capitals throughout:
//
//	CQ MTU NIC NS QOS RDMA VI
//
// So VIP_INVALID_MTU is [InvalidMTU], VIP_MEM_HANDLE is [MemHandle], and
// VIP_CONTROL_OP_RDMAWRITE is [ControlOpRdmawrite]. Members keep their names.
//
// # Arguments and results
//
// Arguments have the order of C. Results that C returns through a pointer are returned
// through a pointer here. A pointer to memory is a []byte; its length stays an argument of
// its own where C has one. A void pointer to a context is any. The result is a [Return],
// which is an error as well.
//
//	if ret := vipl.SendWait(vi, vipl.Infinite, &desc); ret != vipl.Success { … }
//
// # Handles
//
// A handle is a number that belongs to one object for ever, and 0 is null. A handle of an
// object that is gone, of another kind, or of another open NIC than the other arguments is
// [InvalidParameter], and does no harm. A [MemHandle] is the adapter's key for the region, so
// its number may come again.
//
// # Descriptors
//
// A descriptor has the layout of C, byte for byte, and lies in registered memory:
// [DescriptorAt]. Posting it is the doorbell; nothing else tells the adapter. Completed
// descriptors come back in the order of the posts, from Done, Wait or Notify of the queue.
// These calls, and those of a completion queue, write the status of a descriptor, with
// [StatusDone] last. A program that looks at the status alone, and calls nothing, waits for
// ever.
//
// # Memory
//
// A registered slice is pinned. On Linux its pages stay in memory, within the limit of the
// process (ulimit -l); on other systems they may be paged out. mlock does not nest, so the package counts the
// regions over each page. A program that calls mlock or mlockall itself finds pages unlocked
// when their last region goes. Regions are exact: no byte beside them can be reached, though
// VIA speaks of pages.
//
// # Levels
//
// A VI is reliable, by delivery or by reception. Where the adapter does not confirm what the
// peer has (iWARP), a descriptor at the level of reception is complete when an RDMA read of
// no bytes behind it has been answered: that costs a round trip. Linux's siw offers delivery
// only. Unreliable VIs are not offered. A VI that shall refuse RDMA writes or reads needs an
// adapter that can do that (rdma.Caps.Refuse), which devices cannot: [ErrorNotSupported].
//
// # What is missing
//
// [SetMemAttributes] is [ErrorNotSupported] on devices. Of the asynchronous errors,
// [ErrorPostDesc], [ErrorCompProt], [ErrorRdmawData], [ErrorRdmawAbort] and [ErrorRDMATransport] are
// never reported. [ErrorVIOverrun] is about a completion queue that was full, and
// [ErrorCatastrophic] about a device that has failed for good. On devices the handler hears of
// every connection that ended as [ErrorConnLost].
//
// # What is uncertain
//
// Little of VIPL's text could be read when this was written: see docs/vipl.md for what was
// taken from headers and programs, and what was decided here.
//
// # Concurrency
//
// Every call may be made from any goroutine at any time. These calls block: the Wait calls,
// [ConnectWait], [ConnectRequest], [ConnectAccept], [ConnectPeerWait] and the name service;
// [OpenNic], [CloseNic], [DeregisterMem] and [Disconnect] for a bounded time. Handlers run on
// goroutines of their own, with no lock held; that of errors is called for one error at a
// time. CloseNic waits for the handlers that are running, which must not call it.
package vipl
