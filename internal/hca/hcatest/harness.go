package hcatest

import (
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Harness says how to reach the adapter under test. Only Open is needed.
type Harness struct {
	// Name appears in messages.
	Name string
	// Open opens one side. It is called twice per case and may return two instances of
	// one adapter or two adapters that reach each other. The suite closes them.
	Open func(t TB, opt hca.Options) hca.Adapter
	// ListenAddress is where the listening side listens. nil: service 0 on
	// Attr.Address.
	ListenAddress func(a hca.Adapter) string
	// DialAddress is how the dialer names a listener. nil: Listener.Addr.
	DialAddress func(l hca.Listener) string
	// UnreachableAddress is a well-formed address at which nothing answers. Without
	// one, its case logs that and checks nothing.
	UnreachableAddress string
	// Memory allocates n bytes to register. nil: the Go heap.
	Memory func(t TB, n int) hca.Memory
	// NoAllocations: posting and polling must not allocate.
	NoAllocations bool
	// LocalReadAlways: the device lets every region be read locally (verbs has
	// no such right), so its absence cannot be checked.
	LocalReadAlways bool
	// NoReceiveWait: the device breaks a connection at once when a message
	// finds no receive, whatever Options.ReceiveWait says: it has no
	// CapReceiveWait (iWARP).
	NoReceiveWait bool
	// LooseStatus: the device does not always distinguish local errors as specified
	// (rxe). A request that fails locally is flushed like the later requests, and
	// earlier ones that are under way may be flushed, too. A receive that fails is a
	// local endpoint error. An unbind that stopped the peer's write is flushed if the
	// refusal of that write ends the connection first.
	LooseStatus bool
	// LooseWindows: the device checks neither the bounds of a window nor the queue pair
	// that an invalidated window was bound through, and a packet that it is placing
	// continues when the window is closed (rxe).
	LooseWindows bool
	// LooseRefusal: an end by a refusal may look like an orderly end, and requests
	// after the refused one may be executed (siw).
	LooseRefusal bool
	// FlushedRefusals: a read or atomic that the peer refuses may be flushed, without
	// being marked as the failed one (siw).
	FlushedRefusals bool
	// LooseRevocation: transfers that have begun go on for a moment when their
	// region is freed (siw).
	LooseRevocation bool
	// LooseReads: the device does not check the right to be read (siw).
	LooseReads bool
	// LooseInvalidation: the device lets the peer invalidate a region by its key
	// (siw).
	LooseInvalidation bool
	// UnorderedBytes: the bytes of a write become visible in any order (rxe and siw,
	// where the kernel copies them).
	UnorderedBytes bool
	// LosesSharedReceives: a receive that a queue pair had taken from a shared
	// queue when its connection broke never comes back (rxe).
	LosesSharedReceives bool
	// StallingBinds: a connection may stop for good when a window is bound among messages
	// that wait for their receives (rxe of Linux 6.1).
	StallingBinds bool
	// EndlessReads: a read that is refused when a part of its answer has come is asked for
	// again and again, and does not end by itself (rxe of Linux 6.1).
	EndlessReads bool
	// NoAdoption: a domain takes over no regions of other domains (devices).
	NoAdoption bool
	// LateCompletions: the completion of a request may come after the peer's answer to it: the device
	// reports it, or a program's stream. A server needs one more slot then.
	LateCompletions bool
	// CountsWaits: the receiving side counts messages that wait for their receive.
	CountsWaits bool
	// NoListenWait: the device leaves it to the connection manager whether Connect waits for a
	// listener, whatever Options.ListenWait says.
	NoListenWait bool
	// Patience bounds each single wait. 0: 30 seconds.
	Patience time.Duration
}

// status reports whether an entry's status is acceptable for the expected one.
func (h *Harness) status(got, want hca.Status) bool {
	if got == want || !h.LooseStatus {
		return got == want
	}
	switch want {
	case hca.StatusLocalProtection:
		return got == hca.StatusFlushed || got == hca.StatusLocalQP
	case hca.StatusFlushed:
		return got == hca.StatusLocalQP
	case hca.StatusLocalLength:
		return got == hca.StatusLocalQP
	case hca.StatusRemoteInvalid:
		return got == hca.StatusRemoteOp
	}
	return false
}

func (h *Harness) patience() time.Duration {
	if h.Patience > 0 {
		return h.Patience
	}
	return 30 * time.Second
}

func (h *Harness) listenAddress(a hca.Adapter) string {
	if h.ListenAddress != nil {
		return h.ListenAddress(a)
	}
	return net.JoinHostPort(a.Attr().Address, "0")
}

func (h *Harness) dialAddress(l hca.Listener) string {
	if h.DialAddress != nil {
		return h.DialAddress(l)
	}
	return l.Addr()
}

func (h *Harness) memory(t TB, n int) hca.Memory {
	if h.Memory != nil {
		return h.Memory(t, n)
	}
	return hca.Memory{Bytes: make([]byte, n)}
}
