//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package event

import "github.com/godapl/godapl/rdma/status"

// readiness is not there on this system.
type readiness struct{}

func newReadiness() (*readiness, error) {
	return nil, &Error{Op: "descriptor", Object: "set", Code: status.ErrUnsupported,
		Detail: "this system has no pipes that can be polled; wait in a goroutine"}
}

func (*readiness) descriptor() int { return -1 }
func (*readiness) set()            {}
func (*readiness) clear()          {}
func (*readiness) close()          {}
