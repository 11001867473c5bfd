package dat

import (
	"fmt"
	"strings"
)

// StrError returns the names of type and subtype in C's spelling (dat_strerror, 1.1):
// "DAT_INVALID_STATE" and "DAT_INVALID_STATE_EP_CONNECTED". Without a subtype the
// second is "". minorMessage may be nil. An undefined value is [InvalidParameter]. For
// a text with advice see [Return.Error].
func StrError(value Return, majorMessage, minorMessage *string) Return {
	if majorMessage == nil {
		return badArg(2)
	}
	major, ok := typeNames[value.Type()]
	minor, known := subtypeNames[value.Subtype()]
	if !ok || !known {
		return badArg(1)
	}
	*majorMessage = major
	if minorMessage != nil {
		*minorMessage = minor
	}
	return Success
}

// Error returns the names and advice.
func (r Return) Error() string {
	var major, minor string
	if StrError(r, &major, &minor) != Success {
		return fmt.Sprintf("DAT_RETURN %#08x, which uDAPL does not define", uint32(r))
	}
	var b strings.Builder
	b.WriteString(major)
	if minor != "" {
		b.WriteString(" (" + minor + ")")
	}
	advice := subtypeAdvice(r.Subtype())
	if advice == "" {
		advice = typeAdvice[r.Type()]
	}
	b.WriteString(": " + advice)
	return b.String()
}

var typeAdvice = map[Return]string{
	Success:                   "the call did what it was asked",
	Abort:                     "the dispatcher or its adapter was closed while somebody waited; end waits before closing",
	ConnQualInUse:             "somebody listens on that connection qualifier; choose another, or PSPCreateAny",
	InsufficientResources:     "a queue, a limit or memory is used up; take completions or free objects, then try again",
	InternalError:             "the library or the registry's file is broken; see the log, and DAT_OVERRIDE",
	InvalidHandle:             "a handle is null, was freed, or is of another kind or adapter",
	InvalidParameter:          "an argument is out of range; the subtype numbers it",
	InvalidState:              "the object's state forbids the call now",
	LengthError:               "the target is smaller than the data, or the data longer than the adapter or endpoint allows",
	ModelNotSupported:         "the adapter has no such feature; ask IAQuery what it has",
	ProviderNotFound:          "no adapter of that name, version and thread safety; RegistryListProviders tells which there are",
	PrivilegesViolation:       "the memory lacks a right or was freed; register it with the right",
	ProtectionViolation:       "the objects are of different zones; register the memory in the endpoint's zone",
	QueueEmpty:                "nothing is there; wait, or come back later",
	QueueFull:                 "the dispatcher has no room; take events, or EVDResize",
	TimeoutExpired:            "too few events came in time; those that came are still queued",
	ProviderAlreadyRegistered: "the registry has the same entry; remove that one first",
	ProviderInUse:             "adapters of the provider are open; close them first",
	InvalidAddress:            "no connection can be made to such an address",
	InterruptedCall:           "the wait's context ended; nothing was taken from the queue",
	ConnQualUnavailable:       "no connection qualifier is free; free service points",
	NotImplemented:            "this library leaves the call out",
	ReservedLMR:               "kernel only",
	PortInUse:                 "somebody listens on that port; choose another",
	CommNotSupported:          "no such communicator; use a stream over IPv4 or IPv6",
	IBErr:                     "the extended operation failed",
}

// subtypeAdvice is for subtypes that call for something in particular.
func subtypeAdvice(sub Return) string {
	switch sub {
	case InvalidStateEPUnconnected:
		return "the endpoint is not connected; connect it first"
	case InvalidStateEPConnected:
		return "the endpoint is connected; EPDisconnect it first"
	case InvalidStateEPDisconnected:
		return "the connection is over; EPReset makes the endpoint fit for the next"
	case InvalidStateEPActconnpending, InvalidStateEPComplpending:
		return "the endpoint is connecting; wait for the connection event, or EPDisconnect"
	case InvalidStateEPDiscpending:
		return "the endpoint is disconnecting; wait for the connection event"
	case InvalidStateEPReserved:
		return "a reserved service point has the endpoint; RSPFree gives it back"
	case InvalidStateEPPassconnpending, InvalidStateEPTentconnpending:
		return "the endpoint belongs to a connection request; CRAccept or CRReject that"
	case InvalidStateEPNotready, InvalidStateEPPZ, InvalidStateEPEVDConnect, InvalidStateEPEVDRecv, InvalidStateEPEVDRequest:
		return "the endpoint lacks a zone or a dispatcher; EPModify sets them"
	case InvalidStateEVDWaiter:
		return "somebody waits on the dispatcher; one goroutine at a time may"
	case InvalidStateEVDUnwaitable:
		return "waiting is switched off; EVDClearUnwaitable allows it"
	case InvalidStateEVDConfigNotify, InvalidStateEVDConfigSolicited:
		return "the completions of this dispatcher are not counted; wait with threshold 1"
	case InvalidStateEVDInUse:
		return "endpoints, service points or the adapter feed the dispatcher; free those first"
	case InvalidStateCNOInUse:
		return "dispatchers or waiters use the notification object; detach those first"
	case InvalidStateIAInUse:
		return "objects are left that were made from the adapter; free them, or close abruptly"
	case InvalidStateLMRInUse:
		return "a window is bound to the region; unbind or free it first"
	case InvalidStatePZInUse:
		return "endpoints, regions, windows or shared receive queues belong to the zone; free them first"
	case InvalidStateSRQInUse:
		return "the endpoint receives through a shared receive queue, or endpoints still use the queue"
	}
	switch {
	case sub >= InvalidHandleIA && sub <= InvalidHandleSRQ, sub == InvalidHandleCSP:
		return "that handle is null, was freed, is of another adapter, or lacks the stream that is wanted"
	case sub >= InvalidArg1 && sub <= InvalidArg10:
		return fmt.Sprintf("argument %d is out of range, nil or contradicts the others", sub-InvalidArg1+1)
	}
	return ""
}
