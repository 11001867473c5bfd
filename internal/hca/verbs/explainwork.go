package verbs

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explainPost makes an error of a post that the library refused.
func explainPost(op string, e ibv.Errno) error {
	if e == ibv.ENOMEM || e == ibv.EAGAIN || e == ibv.ENOSPC {
		r := reasonOf(e)
		r.code, r.cure = hca.QueueFull, "the device's queue is full: poll completions"
		return r.error(op, "queue", "")
	}
	return explain(op, "queue", e, "")
}

// explainWork makes the cause of a connection's end out of a failed completion.
func explainWork(op hca.Op, raw ibv.WCStatus, vendor uint32, peer string) error {
	st, name := status(raw), fmt.Sprintf("work completion status %d", raw)
	if int(raw) < len(statuses) {
		name = statuses[raw].name
	}
	err := hca.NewError(hca.Work, op.String(), peer, fmt.Sprintf("%s (%s, vendor code %#x)", cures[st], name, vendor))
	err.Status, err.Vendor = st, vendor
	return err
}

// cures has the usual cause and the remedy of each status.
var cures = [...]string{
	hca.StatusLocalLength:      "the message is longer than the receive, or than the device allows: post larger receives",
	hca.StatusLocalQP:          "the device refused the request: segments, length or operation do not fit the queue pair: see the adapter's attributes; siw says so, too, when a connection ends while it sends the request",
	hca.StatusLocalProtection:  "a local segment is not registered memory of this domain with the right that the operation needs: register it so, and free it after completion only",
	hca.StatusBindFailed:       "the window could not be bound: region, range or rights do not fit, or the region has gone: bind inside a region of the same domain",
	hca.StatusBadResponse:      "the peer's device answered nonsense: compare firmware and driver versions of both sides",
	hca.StatusRemoteAccess:     "the peer's memory is not there for this: wrong key, range outside of it, right not granted, or freed: compare with what the peer registered",
	hca.StatusRemoteInvalid:    "the peer could not take the request: its receive is too small, or it does not do this operation: post larger receives there",
	hca.StatusRemoteOp:         "the peer failed while carrying the request out: its side of the connection says why",
	hca.StatusTransport:        "the peer's device did not acknowledge in time: it is gone, or the network loses packets: check link, MTU, PFC and firewall (RoCE: UDP port 4791)",
	hca.StatusReceiverNotReady: "the peer had no receive posted for too long: post receives before the peer sends, or raise Options.ReceiveWait there",
	hca.StatusFatal:            "the device has failed: see the kernel's log (dmesg), close the adapter and open it again",
}

// explainAsync makes the cause of a connection's end from an asynchronous event about
// its queue pair.
func explainAsync(typ ibv.EventType, what, peer string) error {
	switch typ {
	case ibv.EventQPAccessErr:
		return hca.NewError(hca.Broken, "connection", peer,
			"the peer tried an access that is not allowed: wrong key, range, or right ("+what+")")
	case ibv.EventQPReqErr:
		return hca.NewError(hca.Broken, "connection", peer,
			"the peer sent a request that cannot be carried out: a message longer than its receive, or an operation that is not done here ("+what+")")
	}
	return hca.NewError(hca.Broken, "connection", peer,
		"the device has given the connection up: connect again, and see the kernel's log (dmesg) if it happens often ("+what+")")
}

// explainAlone is the error for an end without any reported reason.
func explainAlone(peer string) error {
	return hca.NewError(hca.Broken, "connection", peer,
		"the device has ended it without saying why: the usual reason is a request of the peer that was refused")
}
