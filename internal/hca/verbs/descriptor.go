package verbs

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// descriptor reads events from a descriptor of the libraries, or from the bell of simulated ones. Its goroutine sleeps
// in a park, so no thread waits in C.
type descriptor struct {
	fd   int
	next func() ibv.Errno // handles one event
	own  park.Park        // the goroutine's
	at   park.Place       // where events wake
	done chan struct{}

	ending chan struct{} // closed when nobody is to read any more
}

// lackTime is how long a reader waits when there is no memory for an event.
const lackTime = 10 * time.Millisecond

// watch starts a goroutine that calls next until there is nothing to read, then
// waits for more. next must not block. close ends it.
func watch(name string, fd int, next func() ibv.Errno) (*descriptor, error) {
	d := new(descriptor)
	return d, d.start(name, fd, next, d)
}

// start is watch with another driver for the goroutine's park.
func (d *descriptor) start(name string, fd int, next func() ibv.Errno, driver park.Driver) error {
	d.fd, d.next, d.done, d.ending = fd, next, make(chan struct{}), make(chan struct{})
	if !simulated(fd) {
		if err := ibv.Nonblock(fd); err != nil {
			return hca.Wrap(hca.Internal, "Open", name, "the descriptor cannot be waited for", err)
		}
	}
	if err := openPark(&d.own, name, fd, driver, (*park.Park).Open); err != nil {
		return err
	}
	if err := d.at.Move(fd, &d.own); err != nil {
		d.own.Close()
		return hca.Wrap(hca.Resources, "Open", name, "the descriptor cannot be watched: fs.epoll.max_user_watches", err)
	}
	d.own.AcquirePark()
	go hca.Labeled("devices", name, d.run)()
	return nil
}

// openPark opens a park in which to sleep for fd.
func openPark(p *park.Park, name string, fd int, driver park.Driver, open func(*park.Park, park.Driver) error) error {
	if simulated(fd) {
		p.Use(newBellQueue(), driver)
	} else if err := open(p, driver); err != nil {
		return hca.Wrap(hca.Resources, "Open", name, "no descriptor to wait at: ulimit -n", err)
	}
	return nil
}

func (d *descriptor) run() {
	defer close(d.done)
	d.own.Park(nil) // nobody kicks: it is over
	d.own.ReleasePark()
}

// Arrived implements park.Driver.
func (d *descriptor) Arrived(p *park.Park) {
	if d.read(d.empty) {
		p.Close() // the device is gone; its own event has said so
	}
}

// read handles events until there are none, or enough says so after one. over means that there will be no more.
func (d *descriptor) read(enough func() bool) (over bool) {
	for {
		switch d.next() {
		case 0:
			if enough() {
				return false
			}
		case ibv.EINTR:
		case ibv.EAGAIN:
			return false
		case ibv.ENOMEM: // the event stays where it is
			if !passes(lackTime, d.ending) {
				return true
			}
		default:
			return true
		}
	}
}

// empty reports that there is nothing more to read. Most events come alone, and asking the kernel is cheaper than asking
// the library once more. A bell cannot tell.
func (d *descriptor) empty() bool { return !simulated(d.fd) && !ibv.Readable(d.fd) }

// close stops the goroutine and waits for it. It must not be called by next.
func (d *descriptor) close() {
	close(d.ending)
	d.own.Close()
	<-d.done
}
