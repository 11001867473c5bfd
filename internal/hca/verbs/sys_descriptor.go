package verbs

import (
	"os"
	"syscall"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// descriptor reads events from a descriptor of the libraries. Go's poller has
// a duplicate of it: so a goroutine waits there and no thread waits in C, and
// closing the duplicate does not close the library's descriptor.
type descriptor struct {
	file *os.File
	conn syscall.RawConn
	done chan struct{}
	bell *belled // in place of all this
}

// watch starts a goroutine that calls next until there is nothing to read, then
// waits for more. next must not block. close ends it.
func watch(name string, fd int, next func() ibv.Errno) (*descriptor, error) {
	if b := ibv.BellOf(fd); b != nil {
		return watchBell(name, b, next), nil
	}
	dup, err := ibv.DupNonblock(fd)
	if err != nil {
		return nil, hca.Wrap(hca.Resources, "Open", name, "the descriptor could not be duplicated: ulimit -n", err)
	}
	d := &descriptor{file: os.NewFile(uintptr(dup), name), done: make(chan struct{})}
	if d.conn, err = d.file.SyscallConn(); err != nil {
		d.file.Close()
		return nil, hca.Wrap(hca.Internal, "Open", name, "the descriptor cannot be waited for", err)
	}
	go hca.Labeled("devices", name, func() { d.run(next) })()
	return d, nil
}

func (d *descriptor) run(next func() ibv.Errno) {
	defer close(d.done)
	// Read calls back when the descriptor may be readable, and parks when it is
	// told that it was not.
	d.conn.Read(func(fd uintptr) bool {
		for {
			switch next() {
			case 0:
				// Most events come alone. Asking the kernel is cheaper than asking
				// the library once more.
				if !ibv.Readable(int(fd)) {
					return false
				}
			case ibv.EINTR:
			case ibv.EAGAIN:
				return false
			default:
				return true // the device is gone; its own event has said so
			}
		}
	})
}

// close stops the goroutine and waits for it. It must not be called by next.
func (d *descriptor) close() {
	if d.bell != nil {
		d.bell.close()
		return
	}
	d.file.Close()
	<-d.done
}
