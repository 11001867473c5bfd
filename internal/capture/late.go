package capture

import "time"

// Wireshark recognizes neither a start-up frame that begins in one packet and ends in another, nor an FPDU of which a packet
// has less than the shortest FPDU. It then understands nothing of what follows. So such bytes wait for those that come next.

// late is how many bytes at the end of p wait for the next ones. It changes nothing.
func (s framing) late(p []byte) int {
	for done := 0; done < len(p); {
		n, _ := s.step(p[done:])
		done += n
	}
	begins := s.phase != unknown && s.have <= len(p)
	if begins && (s.phase == startUp || s.have < minFPDU) {
		return s.have
	}
	return 0
}

// settle records what waits in one direction, since nothing comes next. Both locks are held, and there is room.
func (fl *Flow) settle(at time.Time, way int) {
	h := &fl.half[way]
	if p := h.late; len(p) > 0 {
		h.late = nil
		fl.putData(at, way, p)
	}
}

// putData adds a packet with bytes of one direction. Both locks are held, and there is room.
func (fl *Flow) putData(at time.Time, way int, p []byte) {
	fl.put(way, &segment{at: at, push: true}, p)
	fl.half[way].next += uint32(len(p))
	fl.follow(way, p)
}

// rest records what waits in both directions.
func (fl *Flow) rest() {
	fl.mu.Lock()
	defer fl.mu.Unlock()
	f := fl.file
	f.mu.Lock()
	defer f.mu.Unlock()
	n := fl.lateRoom()
	if n == 0 || !f.room(2*packetRoom+n+fl.repeatRoom()) {
		return
	}
	now := time.Now()
	fl.settle(now, ours)
	fl.settle(now, theirs)
	f.nudge()
}

// lateRoom is the size of what waits.
func (fl *Flow) lateRoom() int { return len(fl.half[ours].late) + len(fl.half[theirs].late) }
