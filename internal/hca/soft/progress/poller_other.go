//go:build !linux

package progress

type Poller struct {
	Adapter string
	Rounds  *Counters
}

func (*Poller) Close()     {}
func (*Poller) Poll() bool { return false }
