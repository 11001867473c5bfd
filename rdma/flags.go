package rdma

import (
	"strings"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/udapl"
)

// Flags modify one posted operation (uDAPL: DAT_COMPLETION_FLAGS).
type Flags uint16

const (
	// NoCompletion: the operation leaves no completion if it succeeds (uDAPL:
	// SUPPRESS; verbs: unsignaled, a work request without IBV_SEND_SIGNALED).
	// Failures and flushes always leave one. Not for receives.
	NoCompletion Flags = 1 << 0
	// NoWake: the completion wakes no waiter (uDAPL: UNSIGNALLED; verbs has no
	// such flag). A poll finds it, and it counts towards a threshold when the
	// next completion wakes the waiter. Failures always wake. In a completion
	// the flag says that this completion has not woken a waiter.
	NoWake Flags = 1 << 1
	// Solicited makes the receive wake the peer's consumer if the peer's endpoint has
	// EndpointConfig.SolicitedOnly (uDAPL: SOLICITED_WAIT). For sends and for writes with
	// immediate data.
	Solicited Flags = 1 << 2
	// Fence starts the operation only when all earlier reads and atomics of the
	// endpoint are complete (uDAPL: BARRIER_FENCE).
	Fence Flags = 1 << 3
	// WithImmediate sends the field Immediate to the peer's completion. For sends and writes,
	// if the connection supports it (Caps).
	WithImmediate Flags = 1 << 8

	sendFlags = NoCompletion | NoWake | Solicited | Fence | WithImmediate
	toHCA     = NoCompletion | NoWake | Solicited | Fence
	readFlags = NoCompletion | NoWake | Fence

	// closedBind marks a bind without any right of a peer, which uDAPL allows.
	closedBind = Flags(udapl.ClosedBind)
)

// Posts pass these flags to the adapter unchanged.
const _ = -uint(toHCA ^ Flags(hca.Suppress|hca.Quiet|hca.Solicited|hca.Fence))

// String returns the names of the flags, joined with "+"; "none" without any.
func (f Flags) String() string {
	if f == 0 {
		return "none"
	}
	var names []string
	for _, n := range [...]struct {
		bit  Flags
		name string
	}{
		{NoCompletion, "no-completion"}, {NoWake, "no-wake"}, {Solicited, "solicited"},
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
