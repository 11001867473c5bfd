//go:build !linux

package soft

type poller struct{ rounds *rounds }

func (*poller) close()     {}
func (*poller) look() bool { return false }
