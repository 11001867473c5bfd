package rdma

// ConnEventKind is the kind of a connection event (uDAPL: DAT_EVENT_NUMBER).
type ConnEventKind uint8

const (
	// Established: the connection is up (DAT_CONNECTION_EVENT_ESTABLISHED).
	Established ConnEventKind = iota + 1
	// Disconnected: one of the sides has ended it, in order or abruptly
	// (DAT_CONNECTION_EVENT_DISCONNECTED).
	Disconnected
	// Broken: it was lost (DAT_CONNECTION_EVENT_BROKEN).
	Broken
)

// String returns "established", "disconnected" or "broken".
func (k ConnEventKind) String() string {
	switch k {
	case Established:
		return "established"
	case Disconnected:
		return "disconnected"
	case Broken:
		return "broken"
	}
	return "unknown"
}

// ConnEvent is a change of an endpoint's connection (uDAPL: DAT_CONNECTION_EVENT_DATA). Every
// connection has one Established event and, after all its completions, one Disconnected or
// Broken event. An attempt that fails has no event, but the error of Connect or Accept.
type ConnEvent struct {
	Kind     ConnEventKind
	Endpoint *Endpoint
	Conn     *Conn
	// Err is the cause of the end: ErrDisconnected or ErrBroken.
	Err error
}
