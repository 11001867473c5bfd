package verbs

import (
	"os"
	"syscall"
	"time"

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

// place is a kernel queue in Go's poller, in which the completion channel is or is not.
type place struct {
	*os.File
	conn syscall.RawConn
	fd   int // of the queue
	of   int // what is watched
}

func (p *place) Read(f func(fd uintptr) (done bool)) error { return p.conn.Read(f) }
func (p *place) Watch(yes bool) error                      { return ibv.Watch(p.fd, p.of, yes) }

// newPlace makes a channel of a descriptor.
func newPlace(name string, of int) (channel, error) {
	fd, err := ibv.WatchQueue()
	if err != nil {
		return nil, hca.Wrap(hca.Resources, "Open", name, "no descriptor to wait at: ulimit -n", err)
	}
	p := &place{File: os.NewFile(uintptr(fd), name), fd: fd, of: of}
	if p.conn, err = p.SyscallConn(); err == nil {
		err = p.SetReadDeadline(time.Time{}) // it fails if the file is not in the poller
	}
	if err != nil {
		_ = p.Close()
		return nil, hca.Wrap(hca.Internal, "Open", name, "the descriptor cannot be waited for", err)
	}
	return p, nil
}

// startTurns has a descriptor read in turns: see turns.
func startTurns(name string, fd int, next func() ibv.Errno, mine func() bool) (*turns, error) {
	if err := ibv.Nonblock(fd); err != nil {
		return nil, hca.Wrap(hca.Internal, "Open", name, "the descriptor cannot be waited for", err)
	}
	own, err := newPlace(name, fd)
	if err != nil {
		return nil, err
	}
	theirs, err := newPlace(name, fd)
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	t, err := newTurns(own, theirs, next, func() bool { return ibv.Readable(fd) })
	if err != nil {
		_, _ = own.Close(), theirs.Close()
		return nil, hca.Wrap(hca.Resources, "Open", name, "the descriptor cannot be watched: fs.epoll.max_user_watches", err)
	}
	t.mine = mine
	go hca.Labeled("devices", name, t.run)()
	return t, nil
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
