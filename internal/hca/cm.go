package hca

import (
	"context"
	"crypto/tls"
	"time"
)

// ConnParams go with a connect or an accept.
type ConnParams struct {
	// Private is delivered to the peer whole, at most Attr.MaxPrivateData
	// bytes. It is copied before the call returns.
	Private []byte
}

// ConnInfo describes an established connection.
type ConnInfo struct {
	Local, Remote string // addresses, with service
	// Path is how bytes travel: "loop", "shm", "tcp", "verbs".
	Path string
	// Private is the private data of the accepting side; nil on the accepting side
	// itself.
	Private []byte
	// Caps is what this connection can do, a subset of Attr.Caps.
	Caps Caps
	// Acked: a write or send completes when the peer has it, and a refusal is
	// the initiator's own completion. Otherwise (iWARP) it completes when the
	// transport has taken the bytes, and a refusal breaks the connection with
	// its cause and flushes what is outstanding.
	Acked bool
	// Poster, if it is not nil, takes posts on this connection as the queue pair does, and
	// sooner. It serves until the queue pair is closed.
	Poster Poster
	// ReadsOut and ReadsIn are the depths agreed upon.
	ReadsOut, ReadsIn int
	// TLS describes the TLS of the connection; nil: it has none.
	TLS *tls.ConnectionState
}

// ConnEventKind is the kind of a connection event.
type ConnEventKind uint8

const (
	EventEstablished  ConnEventKind = iota + 1
	EventDisconnected               // orderly end, by either side
	EventBroken                     // lost through an error
	// EventLastReceive: the queue pair has returned its last shared receive. It comes
	// once, after EventDisconnected or EventBroken, and with an SRQ only.
	EventLastReceive
)

// ConnEvent reports a change of a queue pair's connection.
type ConnEvent struct {
	Kind ConnEventKind
	Info *ConnInfo // with EventEstablished
	// Err is the cause, with EventDisconnected (nil: this side has requested the end) and
	// EventBroken.
	Err error
}

// ListenConfig describes a listener.
type ListenConfig struct {
	// Address is host:service. An empty host is every address. Service 0 picks
	// a free one. Services are 64 bits wide.
	Address string
	// OnRequest is called for every request. The callee owns the request and must
	// accept or reject it. If OnRequest returns false, the request is refused as if
	// nothing listened (backlog full).
	OnRequest func(ConnRequest) bool
	// SpeakAfter bounds how long the accepting side stays silent while the initiator
	// has not sent anything, where the transport requires the initiator to send first
	// (iWARP over TCP). 0: no bound.
	SpeakAfter time.Duration
}

// Listener takes connection requests (uDAPL: PSP, RSP).
type Listener interface {
	// Addr is the address with the real service.
	Addr() string
	// Close stops taking requests. Those delivered stay good.
	Close() error
}

// ConnRequest is a peer that waits for an answer (uDAPL: CR).
type ConnRequest interface {
	Local() string
	Remote() string
	// Private is the peer's private data, whole.
	Private() []byte
	// Accept connects qp, which must be fresh. It blocks until the connection is
	// established, the peer is gone or ctx is done, or the peer does not do its
	// part in a time of the adapter's own (Timeout). As with QP.Connect, Event
	// has been called before it returns without error.
	Accept(ctx context.Context, qp QP, p ConnParams) error
	// Reject rejects the request and informs the peer.
	Reject(private []byte) error
}

// Secured is an optional interface of a ConnRequest: it describes the TLS of the peer's stream, whose
// handshake is over; nil if there is none.
type Secured interface {
	TLS() *tls.ConnectionState
}

// Leaver is an optional interface of a ConnRequest: it reports that the peer has given
// up before the request was answered.
type Leaver interface {
	// OnLeave has f called then, at once if it is so already. It may be called several
	// times. f is a callback as the others are: see the package comment.
	OnLeave(f func())
}
