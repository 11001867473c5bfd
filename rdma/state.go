package rdma

// State is the state of an endpoint (uDAPL: DAT_EP_STATE, with the same numbers;
// the numbers in between are for states that exist in uDAPL only).
type State uint32

const (
	// StateUnconnected: idle; receives may be posted, the configuration changed.
	StateUnconnected State = 0
	// StateConnecting: Connect is under way (ACTIVE_CONNECTION_PENDING).
	StateConnecting State = 6
	// StateConnected: operations may be posted.
	StateConnected State = 9
	// StateDisconnecting: a graceful disconnect is draining (DISCONNECT_PENDING).
	StateDisconnecting State = 10
	// StateDisconnected: over; posts are flushed at once. Reset leads back to
	// StateUnconnected.
	StateDisconnected State = 11
	// StateAccepting: an accept is under way (COMPLETION_PENDING).
	StateAccepting State = 12
	// StateClosed: the endpoint is gone.
	StateClosed State = 255
)

// String returns the name of the state: "unconnected", "connecting" and so on.
func (s State) String() string {
	switch s {
	case StateUnconnected:
		return "unconnected"
	case StateConnecting:
		return "connecting"
	case StateConnected:
		return "connected"
	case StateDisconnecting:
		return "disconnecting"
	case StateDisconnected:
		return "disconnected"
	case StateAccepting:
		return "accepting"
	case StateClosed:
		return "closed"
	}
	return "unknown"
}
