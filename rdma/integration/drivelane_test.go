package integration_test

import (
	"errors"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A lane is the posts of one goroutine in one round, and the record of them.
type lane struct {
	r     *driveRound
	index int
	plan  *lanePlan
	some  chan struct{} // signalled after a completion

	mu      sync.Mutex
	entries []laneEntry
	seen    int // index of the latest completion, -1 before
	failed  string
	adds    uint64 // that were accepted: each lane has counters of its own
	swaps   uint64
	quiet   int // suppressed posts since the last one that was not suppressed
}

type laneEntry struct {
	state entryState
	plan  opPlan
	flags rdma.Flags
	want  uint64 // the value that an atomic must fetch
	ok    bool   // it has succeeded
	done  bool   // its memory is the program's again
}

type entryState uint8

const (
	entryNone entryState = iota
	entryPosted
	entryRefused
	entryCompleted
)

func newLane(r *driveRound, index int) *lane {
	l := &lane{r: r, index: index, plan: &r.plan.lanes[r.side][index], some: make(chan struct{}, 1), seen: -1}
	for _, op := range l.plan.ops {
		l.entries = append(l.entries, laneEntry{plan: op})
	}
	if index == 0 {
		r.lateFrom = len(l.entries)
		for range r.plan.late {
			l.entries = append(l.entries, laneEntry{plan: opPlan{kind: driveRead, pieces: 1}})
		}
	}
	r.into.use(func(b []byte) { fillWith(b[index*lanePlaces:(index+1)*lanePlaces], rest) })
	return l
}

// place returns the offset of number i's memory, in the fields of this side and in the
// peer's target.
func (l *lane) place(i int) (at, size int) {
	if l.entries[i].plan.kind >= driveLargeSend {
		return l.index*lanePlaces + smallPlaces*smallSize, largeSize
	}
	return l.index*lanePlaces + i%smallPlaces*smallSize, smallSize
}

// cookie names number i in completions.
func (l *lane) cookie(i int) uint64 {
	return uint64(l.r.number)<<48 | uint64(l.index)<<32 | uint64(i)
}

// free reports whether the place of number i is the program's.
func (l *lane) free(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, _ := l.place(i)
	for j := range i {
		if e := &l.entries[j]; e.state == entryPosted && !e.done {
			if other, _ := l.place(j); other == at {
				return false
			}
		}
	}
	return true
}

// waitPlace waits until the place of number i is the program's. It gives up when
// the connection has ended.
func (l *lane) waitPlace(i int) bool {
	for !l.free(i) {
		select {
		case <-l.some:
		case <-l.r.conn.Context().Done():
			return false
		}
	}
	return true
}

// enter records number i before it is posted, since it may complete before the post
// returns, and fills its source memory. If that memory has been freed, enter records
// nothing and returns false.
func (l *lane) enter(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.entries[i]
	if !l.paint(i) {
		e.state = entryRefused
		return false
	}
	if e.plan.kind == driveWriteImm && (l.r.peer.byCalls || !l.r.conn.Caps().WriteImmediate) {
		e.plan.kind = driveWrite
	}
	e.state, e.flags = entryPosted, e.plan.flags
	if l.quiet >= 8 { // posts between were refused: some must complete
		e.flags &^= rdma.NoCompletion
	}
	if l.quiet++; e.flags&rdma.NoCompletion == 0 {
		l.quiet = 0
	}
	l.restingPlace(i)
	switch e.plan.kind {
	case driveAdd:
		e.want = l.adds
		l.adds++
	case driveSwap:
		e.want = l.swaps
		l.swaps++
	}
	return true
}

// paint fills the source memory of number i.
func (l *lane) paint(i int) bool {
	at, _ := l.place(i)
	n := l.entries[i].plan.size
	switch l.entries[i].plan.kind {
	case driveSend, driveLargeSend:
		return l.r.out.use(func(b []byte) {
			l.r.head(b[at:], l.r.number, l.index, i, n)
			copy(b[at+headSize:at+n], data(l.r.payload(l.r.number, l.index, i), 0, n-headSize))
		})
	case driveWrite, driveWriteImm, driveLargeWrite:
		return l.r.out.use(func(b []byte) { copy(b[at:at+n], data(l.r.payload(l.r.number, l.index, i), 0, n)) })
	}
	return true
}

// refuse removes the record of number i, whose post has failed.
func (l *lane) refuse(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &l.entries[i]
	if e.state == entryCompleted {
		l.faultf(i, "was refused and completed")
		return
	}
	e.state = entryRefused
	switch e.plan.kind {
	case driveAdd:
		l.adds--
	case driveSwap:
		l.swaps--
	}
}

func (l *lane) faultf(i int, format string, args ...any) {
	l.r.d.failf("link %d side %d round %d lane %d number %d of %d (%v): "+format,
		append([]any{l.r.link, l.r.side, l.r.number, l.index, i, len(l.entries), l.entries[i].plan.kind}, args...)...)
}

// work posts all operations of the plan. It stops early when posts are refused permanently.
func (l *lane) work(reached func(int)) {
	b := l.r.endpoint.NewBatch()
	for i := 0; i < len(l.plan.ops); {
		n := 1
		if l.plan.batch > 0 {
			n = min(1+i*7%l.plan.batch, len(l.plan.ops)-i)
		}
		reached(n)
		if !l.postSome(i, n, b) {
			return
		}
		i += n
	}
}

// postSome posts numbers i to i+n-1, and reports whether to go on.
func (l *lane) postSome(i, n int, b *rdma.Batch) bool {
	var added []int
	for ; n > 0; i, n = i+1, n-1 {
		if len(added) > 0 && !l.free(i) { // what has it may be in this batch
			break
		}
		if !l.waitPlace(i) {
			break
		}
		if !l.enter(i) {
			continue
		}
		if l.plan.batch == 0 {
			err := l.post(i)
			for errors.Is(err, rdma.ErrQueueFull) && l.pause() {
				err = l.post(i)
			}
			if err != nil {
				l.refuse(i)
				if !l.bearable(err) {
					break
				}
			}
			continue
		}
		if err := l.add(i, b); err != nil {
			l.refuse(i)
			if !l.bearable(err) {
				break
			}
			continue
		}
		added = append(added, i)
		if len(added) >= driveDepth/2 {
			break
		}
	}
	for len(added) > 0 {
		k, err := b.Post()
		added = added[k:]
		if err == nil {
			break
		}
		if errors.Is(err, rdma.ErrQueueFull) && l.pause() {
			continue
		}
		b.Reset()
		for _, i := range added {
			l.refuse(i)
		}
		return l.bearable(err) && n == 0
	}
	return n == 0 || l.r.conn.Context().Err() == nil && l.postSome(i, n, b)
}

// pause waits until the queue may have room, and reports whether the connection is still up.
func (l *lane) pause() bool {
	late := time.NewTimer(time.Millisecond) // suppressed successes make room and say nothing
	defer late.Stop()
	select {
	case <-l.some:
	case <-late.C:
	case <-l.r.conn.Context().Done():
		return false
	}
	return true
}

// bearable reports whether later posts can succeed after this error of a post.
func (l *lane) bearable(err error) bool {
	switch {
	case errors.Is(err, rdma.ErrPrivileges):
		return true // its memory has been freed, that of others has not
	case errors.Is(err, rdma.ErrState), errors.Is(err, rdma.ErrClosed), errors.Is(err, rdma.ErrQueueFull):
		return false
	}
	l.r.d.failf("link %d side %d lane %d: post: %v", l.r.link, l.r.side, l.index, err)
	return false
}

// pieces cuts n bytes of a field into a first piece and more.
func pieces(f *field, at, n, count int) (mem.Slice, []mem.Slice) {
	first := n / count
	s := f.region.Slice(at, first)
	var more []mem.Slice
	for k := 1; k < count; k++ {
		size := n / count
		if k == count-1 {
			size = n - first - (k-1)*(n/count)
		}
		more = append(more, f.region.Slice(at+first+(k-1)*(n/count), size))
	}
	return s, more
}

// forms are the posts for one operation, of which one is right.
type driveForms struct {
	send rdma.Send
	wr   rdma.Write
	read rdma.Read
	add  rdma.FetchAdd
	swap rdma.CompareSwap
	bind rdma.Bind
}

func (l *lane) form(i int) (f driveForms, kind driveKind) {
	e := &l.entries[i]
	at, _ := l.place(i)
	op, cookie, flags := e.plan, l.cookie(i), e.flags
	there := l.r.peer.target.region.Remote()
	counter := mostLanes*lanePlaces + 16*l.index
	switch op.kind {
	case driveSend, driveLargeSend:
		from, more := pieces(l.r.out, at, op.size, op.pieces)
		f.send = rdma.Send{From: from, More: more, Cookie: cookie, Flags: flags}
	case driveWrite, driveLargeWrite, driveWriteImm:
		from, more := pieces(l.r.out, at, op.size, op.pieces)
		f.wr = rdma.Write{From: from, More: more, To: there.Slice(at, op.size), Cookie: cookie, Flags: flags}
		if op.kind == driveWriteImm {
			f.wr.Flags |= rdma.WithImmediate
			f.wr.Immediate = uint32(l.r.number)<<28 | uint32(l.index)<<24 | uint32(i)
		}
	case driveRead, driveLargeRead:
		f.read = rdma.Read{Into: l.r.into.region.Slice(at, op.size), From: l.r.peer.constant.region.Remote().Slice(op.off, op.size), Cookie: cookie, Flags: flags}
	case driveReadWindow:
		f.read = rdma.Read{Into: l.r.into.region.Slice(at, op.size), Cookie: cookie, Flags: flags}
		if lent := l.r.peer.lentAt.Load(); lent != nil {
			f.read.From = lent.Slice(op.off, op.size)
		} else {
			f.read.From = l.r.peer.constant.region.Remote().Slice(op.off, op.size)
		}
	case driveAdd:
		f.add = rdma.FetchAdd{Into: l.r.into.region.Slice(at, 8), At: there.Slice(counter, 8), Add: 1, Cookie: cookie, Flags: flags}
	case driveSwap:
		f.swap = rdma.CompareSwap{Into: l.r.into.region.Slice(at, 8), At: there.Slice(counter+8, 8), Compare: e.want, Swap: e.want + 1, Cookie: cookie, Flags: flags}
	case driveBind:
		f.bind = rdma.Bind{Window: l.r.windows[1], To: l.r.lent.region.Slice(0, op.size), Rights: mem.RemoteRead, Cookie: cookie, Flags: flags}
	}
	return f, op.kind
}

func (l *lane) post(i int) error {
	f, kind := l.form(i)
	e := l.r.endpoint
	switch kind {
	case driveSend, driveLargeSend:
		return e.PostSend(f.send)
	case driveWrite, driveLargeWrite, driveWriteImm:
		return e.PostWrite(f.wr)
	case driveRead, driveLargeRead, driveReadWindow:
		return e.PostRead(f.read)
	case driveAdd:
		return e.PostFetchAdd(f.add)
	case driveSwap:
		return e.PostCompareSwap(f.swap)
	}
	_, err := e.PostBind(f.bind)
	return err
}

func (l *lane) add(i int, b *rdma.Batch) error {
	f, kind := l.form(i)
	switch kind {
	case driveSend, driveLargeSend:
		return b.Send(f.send)
	case driveWrite, driveLargeWrite, driveWriteImm:
		return b.Write(f.wr)
	case driveRead, driveLargeRead, driveReadWindow:
		return b.Read(f.read)
	case driveAdd:
		return b.FetchAdd(f.add)
	}
	return b.CompareSwap(f.swap)
}

// postLate posts after the end of the connection: these posts are flushed.
func (l *lane) postLate() {
	for i := l.r.lateFrom; i < len(l.entries); i++ {
		if !l.free(i) { // a suppressed operation had it, of which nobody knows yet
			continue
		}
		l.enter(i)
		if err := l.post(i); err != nil {
			l.refuse(i)
			if !errors.Is(err, rdma.ErrQueueFull) { // its slots come back when completions are taken
				l.bearable(err)
			}
		}
	}
}
