package dat

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestFaults gives the calls' translation the errors that adapters could give and the
// software adapter does not: the subtype is the call's, if it goes with the type.
func TestFaults(t *testing.T) {
	fault := func(c rdma.Code) error {
		return fmt.Errorf("on the way: %w", &rdma.Error{Op: "test", Code: c, Detail: "a fault"})
	}
	for _, f := range []struct {
		code rdma.Code
		subs []Return
		want Return
	}{
		{rdma.ErrResources, []Return{ResourceTEP, InvalidArg6}, failure(InsufficientResources, ResourceTEP)},
		{rdma.ErrResources, []Return{ResourceTEVD}, failure(InsufficientResources, ResourceTEVD)},
		{rdma.ErrResources, []Return{ResourceProtectionDomain, InvalidHandleIA}, failure(InsufficientResources, ResourceProtectionDomain)},
		{rdma.ErrResources, []Return{ResourceMemoryRegion, InvalidArg3}, failure(InsufficientResources, ResourceMemoryRegion)},
		{rdma.ErrResources, []Return{ResourceSRQ}, failure(InsufficientResources, ResourceSRQ)},
		{rdma.ErrInvalid, []Return{ResourceSRQ, InvalidArg3}, failure(InvalidParameter, InvalidArg3)},
		{rdma.ErrClosed, []Return{InvalidArg3, InvalidHandlePZ}, failure(InvalidHandle, InvalidHandlePZ)},
		{rdma.ErrInUse, []Return{InvalidStatePZInUse}, failure(InvalidState, InvalidStatePZInUse)},
		{rdma.ErrUnsupported, []Return{ResourceSRQ}, failure(ModelNotSupported, NoSubtype)},
		{rdma.ErrInternal, []Return{InvalidArg1}, failure(InternalError, NoSubtype)},
		{rdma.ErrWork, nil, failure(InternalError, NoSubtype)},
	} {
		if have := result(fault(f.code), f.subs...); have != f.want {
			t.Errorf("%v: %v, want %v", f.code, have, f.want)
		}
	}
	if result(nil, ResourceTEP) != Success {
		t.Error("no error is success")
	}
	if result(fmt.Errorf("foreign")) != failure(InternalError, NoSubtype) {
		t.Error("an error of another kind is an internal one")
	}
	// Every subtype that is used goes with a type, and every name has a text.
	for sub := range subtypeNames {
		if sub != NoSubtype && typeOfSubtype(sub) == Success {
			t.Errorf("subtype %d goes with no type", sub)
		}
	}
	for typ := range typeNames {
		if (ClassError|typ).Error() == "" || typeAdvice[typ] == "" {
			t.Errorf("%#x has no text", uint32(typ))
		}
	}
}
