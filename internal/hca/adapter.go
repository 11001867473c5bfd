package hca

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"
)

// Caps is a set of things that not every adapter can do.
type Caps uint32

const (
	CapAtomics         Caps = 1 << iota // OpFetchAdd, OpCompareSwap
	CapWriteImm                         // OpWriteImm
	CapSendImm                          // OpSendImm
	CapSendInvalidate                   // OpSendInvalidate
	CapZoneWindows                      // ZoneWindow
	CapEndpointWindows                  // EndpointWindow
	CapSRQ
	CapSRQLimit
	CapResizeCQ
	// CapReadNeedsWrite: the local memory of a read needs RemoteWrite.
	CapReadNeedsWrite
	// CapSolicited: the adapter honours QPConfig.SolicitQuiet. Without it every receive
	// wakes.
	CapSolicited
	// CapSolicitedTold: on a queue pair with SolicitQuiet, the Quiet flag of a receive
	// says whether it was solicited. Without this capability the flag is never set
	// there. Receives wake the consumer in the same way.
	CapSolicitedTold
	// CapReceiveWait: a message that finds no receive waits for one, for as long as
	// Options.ReceiveWait allows. Without it the connection is broken at once.
	CapReceiveWait
	// CapRefuse: QPConfig.Refuse.
	CapRefuse
)

// Attr describes an adapter and its limits. A limit of 0 means that there is no fixed
// limit; Caps says which features exist at all.
type Attr struct {
	Name, Vendor, Firmware string
	Address                string // of this adapter, without service
	Caps                   Caps
	MaxQP, MaxCQ, MaxPD    int
	MaxMR, MaxMW, MaxSRQ   int
	MaxSendWR, MaxRecvWR   int // per queue pair
	MaxSRQWR               int
	MaxCQE                 int
	MaxSGE                 int // segments of sends, writes and receives
	MaxReadSGE             int
	MaxMessage             uint64 // bytes of a send
	MaxRDMA                uint64 // bytes of a read or write
	MaxRegion              uint64
	MaxReadsIn             int // per queue pair
	MaxReadsOut            int
	MaxPrivateData         int
	MaxService             uint64 // the largest number of a service
	// PrivatePadded: the wire does not carry the length of private data. The receiver
	// gets it padded with zeros to a length that the transport defines (InfiniBand,
	// RoCE).
	PrivatePadded bool
	// Alignment is the best alignment of buffers, in bytes.
	Alignment int
}

// Options go with opening an adapter. The zero value is good.
type Options struct {
	// Async is called with errors that no call can return. May be nil.
	Async func(AsyncEvent)
	// Log receives messages for the operator; nil logs nothing.
	Log *slog.Logger
	// Refused is called with each request that the adapter refuses although it has a listener for
	// it: OnRequest does not see it, and no call can return the error. May be nil. It must not block.
	Refused func(peer string, cause error)
	// ReceiveWait bounds how long a message waits for a receive to be posted
	// before its connection is broken. 0: one second. Negative: not at all.
	ReceiveWait time.Duration
	// ListenWait bounds how long Connect retries while nothing listens at the address,
	// within its context. 0: it does not retry. Devices leave this to the connection
	// manager.
	ListenWait time.Duration
	// Capture requests a capture of the network traffic; nil for none. An adapter
	// without network traffic refuses with Unsupported.
	Capture *Capture
	// TLS secures every connection. It is read-only from here on. An adapter that has no
	// streams refuses with Unsupported.
	TLS *tls.Config
	// TLSNetworkOnly: with TLS, connections within a host may go over memory, without TLS.
	TLSNetworkOnly bool
}

// Capture says where a capture goes, in pcapng.
type Capture struct {
	Path     string // names are made of it
	FileSize int64  // bytes; 0: the adapter's choice
	Files    int    // that are kept; 0: the adapter's choice
	// IfPossible: an adapter that has no wire to see goes without.
	IfPossible bool
}

// AsyncKind is the kind of an asynchronous error.
type AsyncKind uint8

const (
	AsyncAdapterFailed AsyncKind = iota + 1 // nothing works any more
	AsyncCQOverflow                         // entries were lost; its queue pairs are broken
	AsyncQPBroken
	AsyncSRQFailed
	AsyncPortDown
	AsyncPortUp
	AsyncCaptureEnded // early, for lack of space for instance; all else goes on
)

// AsyncEvent is an error or change that no call can return.
type AsyncEvent struct {
	Kind AsyncKind
	// Object is the CQ, QP owner or SRQ it is about; nil for the adapter.
	Object any
	Err    error
}

// Driver opens adapters of one kind.
type Driver interface {
	// Names lists the adapters that can be opened now.
	Names() []string
	Open(ctx context.Context, name string, opt Options) (Adapter, error)
}

// Explainer is a driver that can explain why a name is not among its Names: what would
// have to exist, and what exists.
type Explainer interface {
	Missing(name string) string
}

// Adapter is one open adapter (uDAPL: IA; verbs: device and context).
type Adapter interface {
	Attr() *Attr // constant; the caller must not change it
	NewPD() (PD, error)
	NewCQ(cfg CQConfig) (CQ, error)
	NewQP(cfg QPConfig) (QP, error)
	Listen(ctx context.Context, cfg ListenConfig) (Listener, error)
	// Close ends everything that is left, abruptly, and waits for the
	// adapter's goroutines. No callback is made after it has returned.
	Close() error
}
