package vipl

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// Return is the result of every call (VIP_RETURN). It is an error as well.
type Return uint32

// The return codes, with the numbers of C. The last three are not in every header.
const (
	Success                 Return = iota // done
	NotDone                               // nothing has completed yet
	InvalidParameter                      // an argument is out of range, a handle is not valid, or there is no such adapter
	ErrorResource                         // a limit is reached, or the object is still in use
	Timeout                               // the time given ran out
	Reject                                // the peer's program has rejected the connection
	InvalidReliabilityLevel               // not offered by the NIC, or the peer's differs
	InvalidMTU                            // the same for the longest transfer
	InvalidQOS                            // the same for the quality of service
	InvalidPtag                           // no protection tag of this NIC
	InvalidRdmaread                       // the NIC has no RDMA reads
	DescriptorError                       // the descriptor has completed with an error: see its status
	InvalidState                          // the state of the VI forbids the call
	ErrorNameservice                      // the name is unknown, or the name service is not initialised
	NoMatch                               // the peer's host answers, but nobody waits at that address
	NotReachable                          // the peer's host does not answer
	ErrorNotSupported                     // the adapter cannot do that
	Error                                 // the adapter has failed
)

var returnNames = [...]string{"VIP_SUCCESS", "VIP_NOT_DONE", "VIP_INVALID_PARAMETER", "VIP_ERROR_RESOURCE", "VIP_TIMEOUT",
	"VIP_REJECT", "VIP_INVALID_RELIABILITY_LEVEL", "VIP_INVALID_MTU", "VIP_INVALID_QOS", "VIP_INVALID_PTAG",
	"VIP_INVALID_RDMAREAD", "VIP_DESCRIPTOR_ERROR", "VIP_INVALID_STATE", "VIP_ERROR_NAMESERVICE", "VIP_NO_MATCH",
	"VIP_NOT_REACHABLE", "VIP_ERROR_NOT_SUPPORTED", "VIP_ERROR"}

var returnMeanings = [...]string{"done", "nothing has completed yet",
	"an argument is out of range, a handle is not valid, or there is no such adapter", "a limit is reached, or the object is still in use",
	"the time given ran out", "the peer's program has rejected the connection",
	"the NIC does not offer this reliability level, or the peer has another",
	"the NIC does not offer this transfer size, or the peer has another",
	"the NIC does not offer this quality of service", "this is no protection tag of the NIC", "the NIC has no RDMA reads",
	"the descriptor has completed with an error: see its status", "the state of the VI forbids the call",
	"the name is unknown, or the name service is not initialised", "the peer's host answers, but nobody waits at that address",
	"the peer's host does not answer", "the adapter cannot do that", "the adapter has failed"}

// String is the name that C has for the code.
func (r Return) String() string { return spell(uint64(r), returnNames[:], "VIP_RETURN") }

// Error is the name and what it means.
func (r Return) Error() string {
	if int(r) < len(returnMeanings) {
		return "vipl: " + r.String() + ": " + returnMeanings[r]
	}
	return "vipl: " + r.String()
}

// Err is nil for [Success], and r for every other code.
func (r Return) Err() error {
	if r == Success {
		return nil
	}
	return r
}

func spell(n uint64, names []string, typ string) string {
	if n < uint64(len(names)) {
		return names[n]
	}
	return fmt.Sprintf("%s(%d)", typ, n)
}

// codeOf is the code of an error of the native API.
func codeOf(err error) rdma.Code {
	if e, ok := err.(*rdma.Error); ok {
		return e.Code
	}
	var e *rdma.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return rdma.ErrInternal
}

// result translates an error of a native call that makes or ends an object.
func result(err error) Return {
	if err == nil {
		return Success
	}
	switch codeOf(err) {
	case rdma.ErrInvalid, rdma.ErrClosed, rdma.ErrPrivileges, rdma.ErrLength:
		return InvalidParameter
	case rdma.ErrInUse, rdma.ErrResources, rdma.ErrQueueFull, rdma.ErrServiceInUse, rdma.ErrServiceUnavailable:
		return ErrorResource
	case rdma.ErrState:
		return InvalidState
	case rdma.ErrProtection:
		return InvalidPtag
	case rdma.ErrUnsupported:
		return ErrorNotSupported
	case rdma.ErrTimeout:
		return Timeout
	case rdma.ErrNotFound, rdma.ErrBadAddress:
		return InvalidParameter
	}
	return Error
}
