package dat

import (
	"errors"

	"github.com/godapl/godapl/rdma"
)

// Return is the result of every call (DAT_RETURN): the class in the upper two
// bits, the type (such as [InvalidState]), and the subtype in the lower 16. It is
// an error as well. [Success] is 0.
type Return uint32

// Type is the type without class and subtype (DAT_GET_TYPE).
func (r Return) Type() Return { return r & TypeMask }

// Subtype is the subtype alone (DAT_GET_SUBTYPE).
func (r Return) Subtype() Return { return r & SubtypeMask }

// Class is [ClassError], [ClassWarning] or [ClassSuccess].
func (r Return) Class() Return { return r & (ClassError | ClassWarning) }

// Err is nil for success and r for all else.
func (r Return) Err() error {
	if r == Success {
		return nil
	}
	return r
}

// Is compares types, for errors.Is(ret, dat.InvalidState). If the target has a subtype,
// that must match, too.
func (r Return) Is(target error) bool {
	t, ok := target.(Return)
	return ok && r.Class() == ClassError && t.Type() == r.Type() && (t.Subtype() == 0 || t.Subtype() == r.Subtype())
}

// GetType is DAT_GET_TYPE.
func GetType(r Return) Return { return r.Type() }

// GetSubtype is DAT_GET_SUBTYPE.
func GetSubtype(r Return) Return { return r.Subtype() }

// IsWarning is DAT_IS_WARNING. No call here gives a warning.
func IsWarning(r Return) bool { return r.Class() == ClassWarning }

// failure makes the result of a failed call.
func failure(typ, sub Return) Return { return ClassError | typ | sub }

// badArg is INVALID_PARAMETER for the n-th argument, counted from 1. Only ten have a number.
func badArg(n int) Return {
	if n > 10 {
		return failure(InvalidParameter, NoSubtype)
	}
	return failure(InvalidParameter, InvalidArg1+Return(n-1))
}

// types of Return for the codes of the native API.
var types = map[rdma.Code]Return{
	rdma.ErrInvalid: InvalidParameter, rdma.ErrState: InvalidState, rdma.ErrClosed: InvalidHandle,
	rdma.ErrInUse: InvalidState, rdma.ErrResources: InsufficientResources, rdma.ErrQueueFull: InsufficientResources,
	rdma.ErrQueueEmpty: QueueEmpty, rdma.ErrLength: LengthError, rdma.ErrPrivileges: PrivilegesViolation,
	rdma.ErrProtection: ProtectionViolation, rdma.ErrUnsupported: ModelNotSupported, rdma.ErrNotFound: ProviderNotFound,
	rdma.ErrExists: ProviderAlreadyRegistered, rdma.ErrServiceInUse: ConnQualInUse,
	rdma.ErrServiceUnavailable: ConnQualUnavailable, rdma.ErrBadAddress: InvalidAddress,
	rdma.ErrUnreachable: InvalidAddress, rdma.ErrRefused: InvalidState, rdma.ErrRejected: InvalidState,
	rdma.ErrDisconnected: InvalidState, rdma.ErrBroken: InvalidState, rdma.ErrTimeout: TimeoutExpired,
	rdma.ErrCanceled: InterruptedCall,
}

// codeOf is the code of an error of the native API.
func codeOf(err error) rdma.Code {
	if e, ok := err.(*rdma.Error); ok {
		return e.Code // as a rule, and without an allocation
	}
	var e *rdma.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return rdma.ErrInternal
}

// result translates an error of the native API. sub is the subtype to give if it
// goes with the type.
func result(err error, subs ...Return) Return {
	if err == nil {
		return Success
	}
	typ, ok := types[codeOf(err)]
	if !ok {
		typ = InternalError
	}
	for _, sub := range subs {
		if typeOfSubtype(sub) == typ {
			return failure(typ, sub)
		}
	}
	return failure(typ, NoSubtype)
}

// typeOfSubtype is the type that a subtype goes with.
func typeOfSubtype(sub Return) Return {
	switch {
	case sub == SubInterrupted:
		return Abort
	case sub >= ResourceMemory && sub <= ResourceSRQ:
		return InsufficientResources
	case sub >= InvalidHandleIA && sub <= InvalidHandle10, sub == InvalidHandleCSP:
		return InvalidHandle
	case sub >= InvalidArg1 && sub <= InvalidArg10, sub == InvalidROCookie:
		return InvalidParameter
	case sub >= InvalidStateEPUnconnected && sub <= InvalidStateSRQInUse, sub == InvalidStateSRQShutdown:
		return InvalidState
	case sub >= PrivilegesRead && sub <= PrivilegesRDMAWrite:
		return PrivilegesViolation
	case sub >= ProtectionRead && sub <= ProtectionRDMAWrite:
		return ProtectionViolation
	case sub >= InvalidAddressUnsupported && sub <= InvalidAddressMalformed:
		return InvalidAddress
	case sub >= NameNotRegistered && sub <= ThreadSafetyNotFound:
		return ProviderNotFound
	}
	return Success
}
