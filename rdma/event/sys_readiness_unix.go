//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package event

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/rdma/status"
)

// readiness is a pipe that has one byte in it while something is ready. Its
// methods are called under the set's mu, and do not block.
type readiness struct {
	read, write int
	ready       bool
}

func newReadiness() (*readiness, error) {
	var p [2]int
	syscall.ForkLock.RLock() // until then a child would inherit them
	err := unix.Pipe(p[:])
	if err == nil {
		unix.CloseOnExec(p[0])
		unix.CloseOnExec(p[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, &Error{Op: "descriptor", Object: "set", Code: status.ErrResources, Err: err,
			Detail: "no pipe; close files, or raise their limit (ulimit -n)"}
	}
	for _, fd := range p {
		unix.SetNonblock(fd, true)
	}
	return &readiness{read: p[0], write: p[1]}, nil
}

func (r *readiness) descriptor() int { return r.read }

func (r *readiness) set() {
	if !r.ready {
		r.ready = true
		unix.Write(r.write, []byte{1})
	}
}

func (r *readiness) clear() {
	if r.ready {
		r.ready = false
		var b [1]byte
		unix.Read(r.read, b[:])
	}
}

func (r *readiness) close() {
	unix.Close(r.read)
	unix.Close(r.write)
}
