//go:build !linux

package progress

type Poller struct{ Rounds *Counters }

func (*Poller) Close()     {}
func (*Poller) Look() bool { return false }
