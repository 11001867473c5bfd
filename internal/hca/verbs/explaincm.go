package verbs

import (
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Reasons of a rejection over InfiniBand that concern callers: IBTA 12.6.7.2.
const (
	rejNoResources   = 3
	rejTimeout       = 4
	rejInvalidSID    = 8
	rejNoReadsOrRNR  = 9
	rejConsumer      = 28
	rejUnacceptable1 = 1
)

// explainCM makes an error of an event that was not the one hoped for.
func (a *adapter) explainCM(op, object string, ev *ibv.CMEvent) error {
	e := ibv.Errno(0)
	if ev.Status < 0 {
		e = ibv.Errno(-ev.Status)
	}
	switch ev.Type {
	case ibv.CMAddrError:
		return explain(op, object, e, "the address could not be resolved")
	case ibv.CMRouteError:
		return explain(op, object, e, "no route could be found")
	case ibv.CMRejected:
		return a.explainRejected(op, object, ev, e)
	case ibv.CMUnreachable:
		return hca.Wrap(hca.Unreachable, op, object, "the peer did not answer", cause(e))
	case ibv.CMConnectError:
		return explain(op, object, e, "the connection could not be made")
	case ibv.CMDisconnected:
		return hca.NewError(hca.Disconnected, op, object, "the peer has disconnected")
	case ibv.CMDeviceRemoval:
		return hca.NewError(hca.Broken, op, object, "the device has been removed")
	}
	return hca.NewError(hca.Internal, op, object, "unexpected answer of the connection manager: "+a.lib.CMEventString(ev.Type))
}

func cause(e ibv.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// explainRejected tells a program's refusal from one that nobody made.
func (a *adapter) explainRejected(op, object string, ev *ibv.CMEvent, e ibv.Errno) error {
	byProgram := ev.Status == rejConsumer
	if a.iwarp {
		byProgram = e == ibv.ECONNRESET || len(ev.Conn.PrivateData) > 0
	}
	switch {
	case refused(ev.Conn.PrivateData) && len(ev.Conn.PrivateData) > 0:
		return hca.NewError(hca.Refused, op, object, "the listener has no room for more requests")
	case byProgram:
		err := hca.NewError(hca.Rejected, op, object, "")
		err.Private = ev.Conn.PrivateData
		return err
	case ev.Status == rejInvalidSID || e == ibv.ECONNREFUSED:
		return hca.NewError(hca.Refused, op, object, "nobody listens there")
	case e == ibv.ETIMEDOUT || ev.Status == rejTimeout:
		return hca.NewError(hca.Unreachable, op, object, "the peer did not answer in time")
	}
	return hca.NewError(hca.Refused, op, object, "the peer's connection manager refused, with reason "+strconv.Itoa(ev.Status))
}
