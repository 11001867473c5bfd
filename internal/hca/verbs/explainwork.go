package verbs

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explainPost makes an error of a post that the library refused.
func explainPost(op string, e ibv.Errno) error {
	if e == ibv.ENOMEM || e == ibv.EAGAIN {
		return hca.Wrap(hca.QueueFull, op, "queue", "the device's queue is full: poll completions", e)
	}
	return explain(op, "queue", e, "")
}

// explainWork makes the cause of a connection's end out of a failed completion.
func explainWork(op hca.Op, st hca.Status, vendor uint32, peer string) error {
	err := hca.NewError(hca.Work, op.String(), peer, cures[st])
	err.Status, err.Vendor = st, vendor
	if vendor != 0 {
		err.Detail += fmt.Sprintf(" (vendor code %#x)", vendor)
	}
	return err
}

// cures says of each status what usually brought it about, and what helps.
var cures = [...]string{
	hca.StatusLocalLength:      "the message is longer than the receive, or than the device allows: post larger receives",
	hca.StatusLocalQP:          "the device refused the request: segments, length or operation do not fit the queue pair",
	hca.StatusLocalProtection:  "a local segment is not registered memory of this domain with the right that the operation needs",
	hca.StatusBindFailed:       "the window could not be bound: region, range or rights do not fit",
	hca.StatusBadResponse:      "the peer's device answered nonsense",
	hca.StatusRemoteAccess:     "the peer's memory is not there for this: wrong key, range outside of it, right not granted, or freed",
	hca.StatusRemoteInvalid:    "the peer could not take the request: its receive is too small, or it does not do this operation",
	hca.StatusRemoteOp:         "the peer failed while carrying the request out",
	hca.StatusTransport:        "the peer's device did not acknowledge in time: it is gone, or the network loses packets (RoCE: check MTU, PFC and firewall)",
	hca.StatusReceiverNotReady: "the peer had no receive posted for too long: post receives before the peer sends, or raise Options.ReceiveWait there",
	hca.StatusFatal:            "the device has failed",
}

// explainAsync makes the cause of a connection's end out of what the device
// said about its queue pair.
func explainAsync(typ ibv.EventType, what, peer string) error {
	switch typ {
	case ibv.EventQPAccessErr:
		return hca.NewError(hca.Broken, "connection", peer,
			"the peer tried an access that is not allowed: wrong key, range, or right ("+what+")")
	case ibv.EventQPReqErr:
		return hca.NewError(hca.Broken, "connection", peer, "the peer sent a request that cannot be carried out ("+what+")")
	}
	return hca.NewError(hca.Broken, "connection", peer, "the device has given the connection up: "+what)
}

// explainAlone is for an end that nobody explains.
func explainAlone(peer string) error {
	return hca.NewError(hca.Broken, "connection", peer,
		"the device has ended it without saying why: the usual reason is a request of the peer that was refused")
}
