package stream

// Addr is an address that is only text.
type Addr struct{ Net, Text string }

// Network is the kind of connection.
func (a Addr) Network() string { return a.Net }

func (a Addr) String() string { return a.Text }
