package verbs

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explainCM converts an event that was not the expected one.
func (a *adapter) explainCM(op, object string, ev *ibv.CMEvent) error {
	e := ibv.Errno(0)
	if ev.Status < 0 {
		e = ibv.Errno(-ev.Status)
	}
	switch ev.Type {
	case ibv.CMAddrError:
		return explainAnswer(op, object, e, "the address could not be resolved")
	case ibv.CMRouteError:
		return explainAnswer(op, object, e, "no route could be found")
	case ibv.CMRejected:
		return a.explainRejected(op, object, ev, e)
	case ibv.CMUnreachable:
		err := explainAnswer(op, object, e, "the peer's connection manager did not answer")
		err.Code = hca.Unreachable
		return err
	case ibv.CMConnectError:
		if a.iwarp && e == ibv.EINVAL {
			return hca.Wrap(hca.Refused, op, object, "the answer could not be understood, or a message came together with it: "+
				"over iWARP the side that accepts sends when it has received something; try again", e)
		}
		return explainAnswer(op, object, e, "the connection could not be made")
	case ibv.CMDisconnected:
		return hca.NewError(hca.Disconnected, op, object, "the peer disconnected")
	case ibv.CMDeviceRemoval:
		return hca.NewError(hca.Broken, op, object, "the device has been removed: "+
			"close the adapter, and open it again when the device is back")
	}
	return hca.NewError(hca.Internal, op, object, fmt.Sprintf("unexpected answer of the connection manager (event %d)", ev.Type))
}

// explainAnswer also takes an answer without an error number.
func explainAnswer(op, object string, e ibv.Errno, detail string) *hca.Error {
	if e == 0 {
		return hca.NewError(hca.Unreachable, op, object, detail+": is the host up, and does a firewall let RDMA through (RoCE: UDP port 4791)?")
	}
	return explainAddress(op, object, e, detail)
}

// Reasons of a rejection over InfiniBand that are told apart: IBTA 12.6.7.2.
const (
	rejTimeout    = 4
	rejInvalidSID = 8
	rejConsumer   = 28
)

// rejections explain the reject reasons that no program has given.
var rejections = map[int]string{
	1:             "the peer's device has no queue pair left: close some there",
	3:             "the peer's device or system is short of resources: close objects there",
	rejTimeout:    "the peer did not answer in time",
	5:             "the peer does not do requests of this kind",
	6:             "the peer does not know the connection any more: try again",
	rejInvalidSID: "nobody listens there: is the peer's program running, and the service the same?",
	9:             "the peer's listener is for another kind of connection",
	10:            "the peer still has a former connection of this queue pair: try again",
	12:            "the peer does not have the GID that the request was sent to: compare the addresses and the RoCE version of both sides (rdma link, ibv_devinfo -v)",
	13:            "the peer does not have the LID that the request was sent to: is the subnet manager up to date?",
	14:            "the peer does not take the service level",
	15:            "the peer does not take the traffic class",
	16:            "the peer does not take the hop limit",
	17:            "the peer does not take the packet rate",
	26:            "the peer does not take the path's MTU: give both sides' interfaces the same",
	27:            "the peer allows fewer reads at a time than asked for: lower ReadsOut",
	29:            "the peer does not take the count of RNR retries",
	30:            "the peer takes the request for one that it has: try again",
}

// refusedBecause is for a rejection of the peer's connection manager itself.
func refusedBecause(op, object string, status int) error {
	what := rejections[status]
	if what == "" {
		what = "the peer's connection manager refused: its side may have logged why"
	}
	code := hca.Refused
	if status == rejTimeout {
		code = hca.Unreachable
	}
	return hca.NewError(code, op, object, fmt.Sprintf("%s (reason %d)", what, status))
}

// explainRejected distinguishes a refusal by the peer's program from one by the
// transport.
func (a *adapter) explainRejected(op, object string, ev *ibv.CMEvent, e ibv.Errno) error {
	byProgram := ev.Status == rejConsumer
	if a.iwarp {
		byProgram = e == ibv.ECONNRESET || len(ev.Conn.PrivateData) > 0
	}
	switch {
	case refused(ev.Conn.PrivateData) && len(ev.Conn.PrivateData) > 0:
		return hca.NewError(hca.Refused, op, object, "the listener has no room for more requests: try again later, or give it a larger backlog")
	case byProgram:
		err := hca.NewError(hca.Rejected, op, object, "the peer's program said no: its private data may say why")
		err.Private = ev.Conn.PrivateData
		return err
	case e != 0:
		return explainAnswer(op, object, e, "the peer's side refused")
	}
	return refusedBecause(op, object, ev.Status)
}
