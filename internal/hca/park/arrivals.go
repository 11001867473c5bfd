package park

import "slices"

// Arrivals are what the owner of a park with several descriptors expects: a driver for each descriptor.
type Arrivals struct {
	fds     []int32
	drivers []Driver
	all     bool // the next call is for all drivers
	ready   [16]int32
}

// Expect adds a descriptor.
func (a *Arrivals) Expect(fd int, d Driver) {
	a.fds, a.drivers = append(a.fds, int32(fd)), append(a.drivers, d)
}

// A Mover is a driver that may change its mind about parking.
type Mover interface {
	// Moves is called for each arrival of an owner that stays. It reports whether the driver would not park now.
	Moves() bool
}

// Moves reports whether a driver moves.
func (a *Arrivals) Moves() bool {
	for _, d := range a.drivers {
		if m, ok := d.(Mover); ok && m.Moves() {
			return true
		}
	}
	return false
}

// Forget removes all descriptors.
func (a *Arrivals) Forget() {
	clear(a.drivers)
	a.fds, a.drivers = a.fds[:0], a.drivers[:0]
}

// Begin begins a sleep.
func (a *Arrivals) Begin() { a.all = true }

// Arrived implements Driver. The first call of a sleep calls each driver, whether something has arrived or not. Later
// ones call those at whose descriptors something has, also if the owner has been kicked meanwhile: the kernel reports
// an arrival once. A driver that sees the kick leaves what is behind it, for example the end of a stream. So the call
// behind one with a kick calls each driver again.
func (a *Arrivals) Arrived(p *Park) {
	defer func() { a.all = p.Kicked() }()
	if a.all || len(a.fds) == 1 {
		for _, d := range a.drivers {
			d.Arrived(p)
		}
		return
	}
	for n := len(a.ready); n == len(a.ready); {
		n = p.queue.Ready(a.ready[:])
		for i, fd := range a.fds {
			if slices.Contains(a.ready[:n], fd) {
				a.drivers[i].Arrived(p)
			}
		}
	}
}
