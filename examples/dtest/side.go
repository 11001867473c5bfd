package main

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// side has the handles of one side.
type side struct {
	o         *options
	listening chan dat.IAHandle // gets the adapter when the server listens
	err       error             // the first error

	ia         dat.IAHandle
	pz         dat.PZHandle
	cr, conn   dat.EVDHandle // requests and connections
	recv, req  dat.EVDHandle // completions
	psp        dat.PSPHandle
	ep         dat.EPHandle
	lmr        dat.LMRHandle
	lmrContext dat.LMRContext
	base       dat.Vaddr
	rmr        dat.RMRHandle
	active     bool
	slot       int            // of the next receive
	mem        []byte         // a message out, lent memory, messages in: size bytes each
	peer       dat.RMRTriplet // the other side's lent memory
	event      dat.Event
	more       dat.Count
}

// The parts of the memory.
const (
	outgoing = iota
	lent
	incoming // one part for each receive
	parts    = incoming + receives
)

// receives is the number of receives that are posted at a time.
const receives = 8

// check stores the error of the first call that fails, with its name. After that no call
// waits.
func (s *side) check(call string, ret dat.Return) error {
	if s.err == nil && ret != dat.Success {
		s.err = fmt.Errorf("%s: %w", call, ret)
	}
	return s.err
}

// all combines the results of successive calls of check, which all return the first error.
func all(errs ...error) error { return errs[len(errs)-1] }

func (s *side) open() error {
	var async dat.EVDHandle
	if err := s.check("dat_ia_open", dat.IAOpen(s.o.ia, 8, &async, &s.ia)); err != nil {
		return err
	}
	s.mem = make([]byte, parts*s.o.size)
	region := dat.RegionDescription{ForVA: s.mem}
	return all(
		s.check("dat_pz_create", dat.PZCreate(s.ia, &s.pz)),
		s.check("dat_evd_create", dat.EVDCreate(s.ia, 8, dat.HandleNull, dat.EVDCRFlag, &s.cr)),
		s.check("dat_evd_create", dat.EVDCreate(s.ia, 8, dat.HandleNull, dat.EVDConnectionFlag, &s.conn)),
		s.check("dat_evd_create", dat.EVDCreate(s.ia, 2*receives, dat.HandleNull, dat.EVDDTOFlag, &s.recv)),
		s.check("dat_evd_create", dat.EVDCreate(s.ia, 32, dat.HandleNull, dat.EVDDTOFlag|dat.EVDRMRBindFlag, &s.req)),
		s.check("dat_lmr_create", dat.LMRCreate(s.ia, dat.MemTypeVirtual, region, dat.Vlen(len(s.mem)), s.pz, dat.MemPrivAllFlag,
			&s.lmr, &s.lmrContext, nil, nil, &s.base)),
		s.check("dat_rmr_create", dat.RMRCreate(s.pz, &s.rmr)),
		s.check("dat_ep_create", dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, nil, &s.ep)),
		s.receive(receives),
	)
}

// part returns one part of the memory, as bytes and as a list of one segment.
func (s *side) part(i int) []byte { return s.mem[i*s.o.size : (i+1)*s.o.size] }

func (s *side) iov(i, n int) []dat.LMRTriplet {
	return []dat.LMRTriplet{{LMRContext: s.lmrContext, VirtualAddress: s.base + dat.Vaddr(i*s.o.size), SegmentLength: dat.Vlen(n)}}
}

// receive posts n receives, each into memory of its own. They complete in the order of
// posting, so the memory of the oldest is free when it is posted again.
func (s *side) receive(n int) error {
	for range n {
		slot := s.slot % receives
		s.slot++
		s.check("dat_ep_post_recv", dat.EPPostRecv(s.ep, 1, s.iov(incoming+slot, s.o.size), dat.Context{As64: uint64(slot)}, dat.CompletionDefaultFlag))
	}
	return s.err
}

// next takes the next event of a dispatcher, in the mode of the options.
func (s *side) next(evd dat.EVDHandle, number dat.EventNumber) error {
	if s.err != nil {
		return s.err
	}
	ret := dat.Success
	switch s.o.mode {
	case "poll":
		for ret = dat.EVDDequeue(evd, &s.event); ret.Type() == dat.QueueEmpty; {
			ret = dat.EVDDequeue(evd, &s.event)
		}
	default:
		ret = dat.EVDWait(evd, dat.TimeoutInfinite, 1, &s.event, &s.more)
	}
	if err := s.check("waiting for an event", ret); err != nil {
		return err
	}
	if s.event.EventNumber != number {
		s.err = fmt.Errorf("%v came, not %v%s", s.event.EventNumber, number, ends[s.event.EventNumber])
	}
	if d := &s.event.EventData.DTOCompletionEventData; number == dat.DTOCompletionEvent && d.Status != dat.DTOSuccess {
		s.err = fmt.Errorf("an operation ended with %v", d.Status)
	}
	return s.err
}

// close frees everything, as a graceful close of the adapter requires.
func (s *side) close() error {
	return all(
		s.check("dat_ep_free", dat.EPFree(s.ep)),
		s.check("dat_rmr_free", dat.RMRFree(s.rmr)),
		s.check("dat_lmr_free", dat.LMRFree(s.lmr)),
		s.check("dat_evd_free", dat.EVDFree(s.recv)),
		s.check("dat_evd_free", dat.EVDFree(s.req)),
		s.check("dat_evd_free", dat.EVDFree(s.conn)),
		s.check("dat_evd_free", dat.EVDFree(s.cr)),
		s.check("dat_pz_free", dat.PZFree(s.pz)),
		s.check("dat_ia_close", dat.IAClose(s.ia, dat.CloseGracefulFlag)),
	)
}

// ends describes the event that arrived instead of a connection or of its next event.
var ends = map[dat.EventNumber]string{
	dat.ConnectionEventPeerRejected:          ": the server has said no",
	dat.ConnectionEventNonPeerRejected:       ": nobody listens there; is a server running, with the same -q?",
	dat.ConnectionEventAcceptCompletionError: ": the client has given up",
	dat.ConnectionEventDisconnected:          ": the other side has left",
	dat.ConnectionEventBroken:                ": the connection was lost",
	dat.ConnectionEventTimedOut:              ": the server did not answer in time",
	dat.ConnectionEventUnreachable:           ": the host cannot be reached",
}
