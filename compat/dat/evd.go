package dat

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// evd is an event dispatcher: a native dispatcher whose events are records, fed by the
// streams that its flags name.
type evd struct {
	object
	d     *event.Dispatcher[record]
	flags EVDFlags
	cq    *rdma.CompletionQueue      // with the DTO flag
	conns *rdma.Sink[rdma.ConnEvent] // with the CONNECTION flag
	// config is the configuration bits, which follow from the attributes of its
	// endpoints.
	config atomic.Uint32

	moving sync.Mutex // one change of the notification object at a time

	mu         sync.Mutex
	cno        *cno
	users      int // streams that feed it
	dtos       int // of them, streams of completions
	attr       CompletionFlags
	unwaitable bool
	dead       bool // asynchronous errors were lost: waiting is not allowed any more
	freed      bool
}

// feed is the provider's side of a dispatcher.
func feed(d *event.Dispatcher[record]) event.Provider[record] { return event.ProviderOf(d) }

const allStreams = EVDSoftwareFlag | EVDDefaultFlag | IBEVDExtensionFlag

// EVDCreate makes an event dispatcher (dat_evd_create), enabled and waitable, for
// at least evdMinQlen events of the streams in evdFlags. cnoHandle may be null.
func EVDCreate(iaHandle IAHandle, evdMinQlen Count, cnoHandle CNOHandle, evdFlags EVDFlags, evdHandle *EVDHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	var c *cno
	if cnoHandle != HandleNull {
		if c = a.getCNO(cnoHandle); c == nil {
			return badCNO
		}
	}
	switch {
	case evdMinQlen <= 0:
		return badArg(2)
	case evdFlags == 0 || evdFlags&^allStreams != 0:
		return badArg(4)
	case evdHandle == nil:
		return badArg(5)
	}
	d, ret := a.newEVD(evdMinQlen, evdFlags, c)
	if ret == Success {
		*evdHandle = EVDHandle(d.handle)
	}
	return ret
}

func (a *ia) newEVD(qlen Count, flags EVDFlags, c *cno) (*evd, Return) {
	if most := a.attr.MaxCompletionDepth; most > 0 && int(qlen) > most {
		return nil, failure(InsufficientResources, ResourceTEVD)
	}
	d := &evd{flags: flags}
	d.ia, d.handle = a, evds.Reserve()
	d.config.Store(uint32(EVDStateConfigThreshold))
	d.d = event.New[record](event.Config{Name: fmt.Sprintf("EVD %#x", d.handle), Depth: int(qlen), Overflow: d.overflowed})
	if ret := d.makeStreams(int(qlen)); ret != Success {
		d.d.Close()
		evds.Cancel(d.handle)
		return nil, ret
	}
	evds.Put(d.handle, d)
	ret := Success
	if !a.add(d.handle, func() { d.end() }) {
		ret = badIA
	} else if c != nil && !d.modifyCNO(c) {
		ret = badCNO
	}
	if ret != Success {
		a.forget(d.handle)
		d.end()
		return nil, ret
	}
	return d, Success
}

// makeStreams makes the native queues that endpoints report to.
func (d *evd) makeStreams(qlen int) Return {
	if d.flags&(EVDDTOFlag|EVDRMRBindFlag|IBEVDExtensionFlag) != 0 {
		q, err := d.ia.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: qlen, Sink: rdma.NewSink(d.d, d.ia.completed)})
		if err != nil {
			return result(err, ResourceTEVD, InvalidHandleIA)
		}
		d.cq = q
		d.ia.mu.Lock()
		d.ia.queues[q] = d
		d.ia.mu.Unlock()
	}
	if d.flags&EVDConnectionFlag != 0 {
		d.conns = rdma.NewSink(d.d, connected)
	}
	return Success
}

// overflowed is called when an event has found no room.
func (d *evd) overflowed(error) {
	if d.ia.errors() == d {
		// Without a dispatcher for errors, the adapter is lost.
		d.mu.Lock()
		defer d.mu.Unlock()
		d.dead = true
		feed(d.d).SetWaitable(false)
		return
	}
	d.ia.tell(AsyncErrorEVDOverflow, d.handle, EVDOverflowError)
}

// use counts a stream that feeds the dispatcher and is no completions.
func (d *evd) use() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.freed {
		return false
	}
	d.users++
	return true
}

func (d *evd) unuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users--
}

// EVDFree frees a dispatcher (dat_evd_free) with its queued events. It fails with
// [InvalidState] while endpoints, service points or the adapter feed it. A waiting call
// returns [Abort]; better make the dispatcher unwaitable first. Connection requests that
// are queued are rejected: nobody could answer them any more.
func EVDFree(evdHandle EVDHandle) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	if d.flags&EVDCRFlag != 0 {
		d.awaitSpent()
	}
	d.mu.Lock()
	if d.users > 0 {
		d.mu.Unlock()
		return failure(InvalidState, InvalidStateEVDInUse)
	}
	d.freed = true
	d.mu.Unlock()
	d.ia.forget(d.handle)
	ret := d.end()
	if ret == Success && d.flags&EVDCRFlag != 0 {
		d.rejectUntold()
	}
	return ret
}

// awaitSpent waits until the reserved service points that have had their request have left the dispatcher. Each
// does that by itself behind its event, which the program may have taken already.
func (d *evd) awaitSpent() {
	for _, s := range objectsOf(d.ia, HandleTypeRSP, rsps.Get) {
		if s.evd == d && s.used() {
			s.deafen()
		}
	}
}

// rejectUntold rejects the requests whose event was still queued. The program does not have
// their handles: each would keep its peer waiting, and its endpoint from being freed.
func (d *evd) rejectUntold() {
	for _, c := range objectsOf(d.ia, HandleTypeCR, crs.Get) {
		if c.sp.evd == d && !c.told.Load() {
			reject(CRHandle(c.handle), nil) // an error: another goroutine has got it and answered
		}
	}
}

// end takes the dispatcher down, whatever feeds it.
func (d *evd) end() Return {
	if !evds.Remove(d.handle) {
		return badEVD
	}
	if d.cq != nil {
		d.ia.mu.Lock()
		delete(d.ia.queues, d.cq)
		d.ia.mu.Unlock()
		d.cq.Close()
	}
	d.d.Close()
	d.modifyCNO(nil)
	return Success
}

func getEVD(h EVDHandle) *evd { return evds.Get(Handle(h)) }

// getEVD is for a dispatcher that has to have a stream and be this adapter's.
// Connection events may go to that of another open of the same adapter: programs
// rely on it.
func (a *ia) getEVD(h EVDHandle, stream EVDFlags) *evd {
	d := getEVD(h)
	if d == nil || d.flags&stream == 0 {
		return nil
	}
	if d.ia != a && (stream != EVDConnectionFlag || d.ia.name != a.name) {
		return nil
	}
	return d
}

var badEVD = failure(InvalidHandle, InvalidHandle1)
