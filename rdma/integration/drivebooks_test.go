package integration_test

import (
	"encoding/binary"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

var driveOps = [driveKinds]rdma.Op{
	driveSend: rdma.OpSend, driveLargeSend: rdma.OpSend,
	driveWrite: rdma.OpWrite, driveLargeWrite: rdma.OpWrite, driveWriteImm: rdma.OpWriteImm,
	driveRead: rdma.OpRead, driveLargeRead: rdma.OpRead, driveReadWindow: rdma.OpRead,
	driveAdd: rdma.OpFetchAdd, driveSwap: rdma.OpCompareSwap, driveBind: rdma.OpBind,
}

// complete records the completion of number i.
func (l *lane) complete(i int, c *rdma.Completion) {
	defer signal(l.some)
	l.mu.Lock()
	defer l.mu.Unlock()
	if i >= len(l.entries) {
		l.r.d.failf("link %d side %d: a completion of no post: %v", l.r.link, l.r.side, c)
		return
	}
	e := &l.entries[i]
	ok := c.Status == rdma.StatusOK
	switch {
	case e.state != entryPosted:
		l.faultf(i, "completed, and was %s before", []string{"not posted", "", "refused", "complete"}[e.state])
		return
	case i <= l.seen:
		l.faultf(i, "completed behind number %d", l.seen)
	case ok && l.failed != "":
		l.faultf(i, "succeeded behind a failure: %s", l.failed)
	case ok && e.flags&rdma.NoCompletion != 0:
		l.faultf(i, "is a success that was to be suppressed")
	case c.Op != driveOps[e.plan.kind]:
		l.faultf(i, "completed as %v", c.Op)
	case ok && c.Length != e.plan.size:
		l.faultf(i, "has %d bytes, %d were posted", c.Length, e.plan.size)
	case e.plan.kind == driveBind && c.Window != l.r.windows[1]:
		l.faultf(i, "tells of another window")
	case c.Endpoint != l.r.endpoint:
		l.faultf(i, "tells of another endpoint")
	}
	l.settleBefore(i)
	e.state = entryCompleted
	l.seen = max(l.seen, i)
	if !ok && l.failed == "" {
		l.failed = fmt.Sprintf("number %d, %v: %v", i, c.Op, c.Status)
	}
	l.settle(i, ok)
}

// settleBefore books the suppressed successes in front of number i, which show by
// its completion. l.mu is held.
func (l *lane) settleBefore(i int) {
	for j := l.seen + 1; j < i; j++ {
		e := &l.entries[j]
		if e.state != entryPosted || e.flags&rdma.NoCompletion == 0 || e.done {
			continue
		}
		if l.failed != "" {
			l.faultf(j, "was suppressed, and not flushed behind a failure: %s", l.failed)
		}
		l.settle(j, true)
	}
}

// settle checks the memory of number i, which belongs to the program again. From now on the
// adapter must not access it.
func (l *lane) settle(i int, ok bool) {
	e := &l.entries[i]
	e.done, e.ok = true, ok
	at, size := l.place(i)
	n := e.plan.size
	switch e.plan.kind {
	case driveBind:
	case driveSend, driveLargeSend, driveWrite, driveLargeWrite, driveWriteImm:
		l.r.out.use(func(b []byte) { copy(b[at:at+n], spent) })
	default:
		l.r.into.use(func(b []byte) {
			place := b[at : at+size]
			if ok {
				l.checkFetched(i, place[:n])
			}
			if w := wrong(place[n:], rest[:size-n]); w != "" {
				l.faultf(i, "wrote behind its %d bytes: %s", n, w)
			}
			copy(place, rest)
		})
	}
}

func (l *lane) checkFetched(i int, got []byte) {
	e := &l.entries[i]
	switch e.plan.kind {
	case driveAdd, driveSwap:
		if v := binary.NativeEndian.Uint64(got); v != e.want {
			l.faultf(i, "fetched %d, want %d", v, e.want)
		}
	default:
		if w := wrong(got, data(l.r.peer.constantData(), e.plan.off, len(got))); w != "" {
			l.faultf(i, "%s", w)
		}
	}
}

// restingPlace checks that nobody has touched the place of number i since the
// program took it back. l.mu is held.
func (l *lane) restingPlace(i int) {
	at, size := l.place(i)
	l.r.into.use(func(b []byte) {
		if w := wrong(b[at:at+size], rest[:size]); w != "" {
			l.faultf(i, "the memory for it was written to behind the completion of an earlier number: %s", w)
			copy(b[at:at+size], rest)
		}
	})
}

// close checks, when all completions are taken, that none is missing, and that
// nobody touches the memory any more.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		switch {
		case e.state != entryPosted || e.done:
		case l.r.host.closed.Load(): // its queues went with the adapter
		case e.flags&rdma.NoCompletion == 0:
			l.faultf(i, "never completed; the latest is number %d", l.seen)
		case l.failed != "":
			l.faultf(i, "was suppressed, and not flushed behind a failure: %s", l.failed)
		default:
			l.settle(i, true)
		}
	}
	if l.r.host.closed.Load() {
		return
	}
	l.r.into.use(func(b []byte) {
		for at := l.index * lanePlaces; at < (l.index+1)*lanePlaces; at += smallSize {
			if w := wrong(b[at:at+smallSize], rest[:smallSize]); w != "" {
				l.r.d.failf("link %d side %d round %d lane %d: the place at %d was written to behind the last completion: %s",
					l.r.link, l.r.side, l.r.number, l.index, at, w)
			}
		}
	})
}

// missing reports whether a completion is still missing. The connection has ended.
func (l *lane) missing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if e := &l.entries[i]; e.state == entryPosted && !e.done && (e.flags&rdma.NoCompletion == 0 || l.failed != "") {
			return true
		}
	}
	return false
}

// messages are the numbers of the messages that were accepted, and how many of them
// are known to have succeeded.
func (l *lane) messages() (all []int, confirmed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		if e := &l.entries[i]; e.plan.kind.message() && (e.state == entryPosted || e.state == entryCompleted) {
			all = append(all, i)
			if e.done && e.ok {
				confirmed++
			}
		}
	}
	return all, confirmed
}

// checkWritten looks at the places of the peer that this lane has written to: every
// byte is as it was, or of a write that was posted; after an orderly end, of the
// latest.
func (l *lane) checkWritten() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.r.peer.target.use(func(b []byte) {
		for k := range smallPlaces + 1 {
			l.checkPlace(b, k)
		}
	})
}

// checkPlace looks at place k of the peer, the last of which is the large one.
func (l *lane) checkPlace(b []byte, k int) {
	var possible []int // writes to the place whose bytes may be there
	first, size := l.index*lanePlaces+k*smallSize, smallSize
	if k == smallPlaces {
		size = largeSize
	}
	proven := l.r.conn.Acked() || l.r.orderly
	for i := range l.entries {
		e := &l.entries[i]
		if at, _ := l.place(i); at != first || e.state != entryPosted && e.state != entryCompleted {
			continue
		}
		if op := driveOps[e.plan.kind]; op != rdma.OpWrite && op != rdma.OpWriteImm {
			continue
		}
		possible = append(possible, i)
	}
	place := b[first : first+size]
	known := make([]bool, size)
	for j := len(possible) - 1; j >= 0; j-- {
		e := &l.entries[possible[j]]
		want := data(l.r.payload(l.r.number, l.index, possible[j]), 0, e.plan.size)
		sure := proven && e.done && e.ok
		for x := range want {
			if known[x] {
				continue
			}
			if known[x] = place[x] == want[x]; sure && !known[x] {
				l.faultf(possible[j], "succeeded, and byte %d at the peer is %#02x, not %#02x", x, place[x], want[x])
				return
			}
		}
	}
	for x := range place {
		if !known[x] && place[x] != rest[0] {
			l.r.d.failf("link %d side %d round %d lane %d: byte %d of place %d at the peer is %#02x, which nobody wrote there (writes %v)",
				l.r.link, l.r.side, l.r.number, l.index, x, k, place[x], possible)
			return
		}
	}
}
