package rdma

import "net"

// address is a net.Addr. Its text is what [Adapter.Dial] and [Adapter.Listen] take.
type address struct{ network, text string }

var _ net.Addr = address{}

// Network implements net.Addr.
func (a address) Network() string { return a.network }

// String implements net.Addr.
func (a address) String() string { return a.text }
