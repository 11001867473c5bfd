//go:build !linux

package progress

type Poller struct {
	Adapter string
	Lead    Lead
	Rounds  *Counters
}

func (*Poller) Close()     {}
func (*Poller) Poll() bool { return false }

func (*Poller) AcquireLead() bool { return false }

// Lead is never a consumer's.
type Lead struct{}

func (*Lead) Park(func() bool) bool { return false }
func (*Lead) Kicker() *func()       { return nil }
func (*Lead) Leave(*Background)     {}
func (*Lead) Serve()                {}
