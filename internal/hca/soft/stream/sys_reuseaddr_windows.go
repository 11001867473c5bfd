package stream

import "syscall"

// shareable does nothing: here the option would let others have the port while it is
// in use.
func shareable(_, _ string, _ syscall.RawConn) error { return nil }
