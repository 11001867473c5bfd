package rdma

// A Description is what the protocol of a program knows of one of its connections: see [Endpoint.Describe].
type Description struct {
	// State is a line about its state, such as "2 of 64 credits used".
	State string
	// Waits says what the program waits for, and what ends that; "" if it waits for nothing.
	Waits string
}

// Describe sets the function that tells what the program's protocol knows of the connection of this endpoint, for
// pages and tools: rdma/debug shows it. rdma/rsocket and rdma/mailbox describe theirs. nil takes it back. The
// function is called from any goroutine, at any time until the endpoint is closed, and must not block: if the
// state of the protocol is in use, it returns the zero Description. There is no uDAPL twin.
func (e *Endpoint) Describe(f func() Description) {
	if f == nil {
		e.describe.Store(nil)
		return
	}
	e.describe.Store(&f)
}

// Description is what the function of [Endpoint.Describe] tells; the zero Description if there is none, or if the
// endpoint is not connected.
func (e *Endpoint) Description() Description {
	f := e.describe.Load()
	if f == nil || e.State() != StateConnected {
		return Description{}
	}
	return (*f)()
}
