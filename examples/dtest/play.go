package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// serve waits for the client.
func (s *side) serve() error {
	if err := s.check("dat_psp_create", dat.PSPCreate(s.ia, dat.ConnQual(s.o.qual), s.cr, dat.PSPConsumerFlag, &s.psp)); err != nil {
		return err
	}
	if s.listening != nil {
		s.listening <- s.ia
	}
	if err := s.next(s.cr, dat.ConnectionRequestEvent); err != nil {
		return err
	}
	cr := s.event.EventData.CRArrivalEventData.CRHandle
	var param dat.CRParam
	if err := s.check("dat_cr_query", dat.CRQuery(cr, dat.CRFieldAll, &param)); err != nil {
		return err
	}
	answer := append([]byte("hello, "), param.PrivateData...)
	return all(
		s.check("dat_cr_accept", dat.CRAccept(cr, s.ep, dat.Count(len(answer)), answer)),
		s.next(s.conn, dat.ConnectionEventEstablished),
		s.check("dat_psp_free", dat.PSPFree(s.psp)),
	)
}

// call connects to the server.
func (s *side) call() error {
	s.active = true
	name := []byte("client")
	if err := all(
		s.check("dat_ep_connect", dat.EPConnect(s.ep, s.o.address(), dat.ConnQual(s.o.qual), 10e6,
			dat.Count(len(name)), name, dat.QOSBestEffort, dat.ConnectDefaultFlag)),
		s.next(s.conn, dat.ConnectionEventEstablished),
	); err != nil {
		return err
	}
	if answer := s.event.EventData.ConnectEventData.PrivateData; string(answer) != "hello, client" {
		s.err = fmt.Errorf("the server answers %q", answer)
		return s.err
	}
	return nil
}

// greetingSize is the bytes of a greeting: a window's key, address and length, each
// big-endian.
const greetingSize = 20

// greet lends memory through a window and tells the other side of it. The message may
// be posted at once: it does not start before the bind is done.
func (s *side) greet() error {
	copy(s.part(lent), "lent memory")
	where := s.iov(lent, s.o.size)[0]
	var key dat.RMRContext
	if err := s.check("dat_rmr_bind", dat.RMRBind(s.rmr, &where, dat.MemPrivRemoteReadFlag|dat.MemPrivRemoteWriteFlag, s.ep,
		dat.Context{As64: 1}, dat.CompletionDefaultFlag, &key)); err != nil {
		return err
	}
	out := binary.BigEndian.AppendUint32(s.part(outgoing)[:0], uint32(key))
	out = binary.BigEndian.AppendUint64(out, uint64(where.VirtualAddress))
	binary.BigEndian.AppendUint64(out, uint64(where.SegmentLength))
	if err := all(
		s.send(greetingSize),
		s.next(s.req, dat.RMRBindCompletionEvent),
		s.next(s.req, dat.DTOCompletionEvent),
		s.next(s.recv, dat.DTOCompletionEvent),
	); err != nil {
		return err
	}
	in := s.part(incoming + int(s.event.EventData.DTOCompletionEventData.UserCookie.As64))
	s.peer = dat.RMRTriplet{RMRContext: dat.RMRContext(binary.BigEndian.Uint32(in)),
		TargetAddress: dat.Vaddr(binary.BigEndian.Uint64(in[4:])), SegmentLength: dat.Vlen(binary.BigEndian.Uint64(in[12:]))}
	return s.receive(1)
}

func (s *side) send(n int) error {
	return s.check("dat_ep_post_send", dat.EPPostSend(s.ep, 1, s.iov(outgoing, n), dat.Context{}, dat.CompletionDefaultFlag))
}

// rdma has the client read the server's memory and write it. A message tells the
// server that this is done; it comes after the data.
func (s *side) rdma() error {
	if !s.active {
		if err := all(s.next(s.recv, dat.DTOCompletionEvent), s.receive(1)); err != nil {
			return err
		}
		if !bytes.HasPrefix(s.part(lent), []byte("written by the client")) {
			s.err = fmt.Errorf("the lent memory has %q", s.part(lent)[:24])
			return s.err
		}
		return nil
	}
	if err := all(
		s.check("dat_ep_post_rdma_read", dat.EPPostRDMARead(s.ep, 1, s.iov(outgoing, s.o.size), dat.Context{As64: 2}, &s.peer, dat.CompletionDefaultFlag)),
		s.next(s.req, dat.DTOCompletionEvent),
	); err != nil {
		return err
	}
	if !bytes.HasPrefix(s.part(outgoing), []byte("lent memory")) {
		s.err = fmt.Errorf("the read gave %q", s.part(outgoing)[:16])
		return s.err
	}
	copy(s.part(outgoing), "written by the client")
	return all(
		s.check("dat_ep_post_rdma_write", dat.EPPostRDMAWrite(s.ep, 1, s.iov(outgoing, s.o.size), dat.Context{As64: 3}, &s.peer, dat.CompletionDefaultFlag)),
		s.send(1),
		s.next(s.req, dat.DTOCompletionEvent),
		s.next(s.req, dat.DTOCompletionEvent),
	)
}

// pingPong sends messages there and back: one by one, or with a threshold in bursts.
func (s *side) pingPong() error {
	burst := 1
	if s.o.mode == "threshold" {
		burst = receives / 2
	}
	for left := s.o.n; left > 0; left -= burst {
		n := min(burst, left)
		steps := []func(int) error{s.pong, s.ping}
		if s.active {
			steps[0], steps[1] = steps[1], steps[0]
		}
		if err := all(steps[0](n), steps[1](n)); err != nil {
			return err
		}
	}
	return nil
}

func (s *side) ping(n int) error {
	for range n {
		if err := s.send(s.o.size); err != nil {
			return err
		}
	}
	for range n {
		if err := s.next(s.req, dat.DTOCompletionEvent); err != nil {
			return err
		}
	}
	return nil
}

// pong takes n messages. With a threshold it sleeps until all of them are there; the
// first comes with the wait, and nmore tells of the others.
func (s *side) pong(n int) error {
	if s.o.mode == "threshold" && n > 1 {
		if err := s.check("dat_evd_wait", dat.EVDWait(s.recv, dat.TimeoutInfinite, dat.Count(n), &s.event, &s.more)); err != nil {
			return err
		}
		if s.more < dat.Count(n-1) {
			s.err = fmt.Errorf("nmore is %d after a wait for %d", s.more, n)
			return s.err
		}
		for range n - 1 {
			if err := s.check("dat_evd_dequeue", dat.EVDDequeue(s.recv, &s.event)); err != nil {
				return err
			}
		}
		return s.receive(n)
	}
	for range n {
		if err := all(s.next(s.recv, dat.DTOCompletionEvent), s.receive(1)); err != nil {
			return err
		}
	}
	return nil
}

// bye ends the connection in order. The client begins.
func (s *side) bye() error {
	if s.active {
		if err := s.check("dat_ep_disconnect", dat.EPDisconnect(s.ep, dat.CloseGracefulFlag)); err != nil {
			return err
		}
	}
	return s.next(s.conn, dat.ConnectionEventDisconnected)
}
