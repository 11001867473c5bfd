package rdma

import (
	"strings"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/udapl"
)

// Flags modify one posted operation (uDAPL: DAT_COMPLETION_FLAGS).
type Flags uint16

const (
	// Suppress leaves no completion if the operation succeeds (uDAPL:
	// SUPPRESS). Failures and flushes always leave one. Not for receives.
	Suppress = Flags(hca.Suppress)
	// Unsignalled makes a completion that wakes nobody; it is there for whoever
	// looks, and counts with the next one (uDAPL: UNSIGNALLED). Failures always
	// wake. In a completion it says that this one did not wake anybody.
	Unsignalled = Flags(hca.Quiet)
	// Solicited asks that the peer's receive wake it, where the peer's endpoint
	// has EndpointConfig.SolicitedOnly (uDAPL: SOLICITED_WAIT). For sends and
	// for writes with immediate data.
	Solicited = Flags(hca.Solicited)
	// Fence starts the operation only when all earlier reads and atomics of the
	// endpoint are complete (uDAPL: BARRIER_FENCE).
	Fence = Flags(hca.Fence)
	// WithImmediate sends the field Immediate along. For sends and writes,
	// where the connection can (Caps).
	WithImmediate Flags = 1 << 8

	sendFlags = Suppress | Unsignalled | Solicited | Fence | WithImmediate
	toHCA     = Suppress | Unsignalled | Solicited | Fence
	readFlags = Suppress | Unsignalled | Fence

	// closedBind goes with a bind that opens nothing, which uDAPL allows.
	closedBind = Flags(udapl.ClosedBind)
)

// String names the flags, joined with "+"; "none" without any.
func (f Flags) String() string {
	if f == 0 {
		return "none"
	}
	var names []string
	for _, n := range [...]struct {
		bit  Flags
		name string
	}{
		{Suppress, "suppress"}, {Unsignalled, "unsignalled"}, {Solicited, "solicited"},
		{Fence, "fence"}, {WithImmediate, "with-immediate"},
	} {
		if f&n.bit != 0 {
			names = append(names, n.name)
		}
	}
	if f&^sendFlags != 0 {
		names = append(names, "unknown")
	}
	return strings.Join(names, "+")
}
