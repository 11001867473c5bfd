package stream_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/iwarp"
)

// script is a peer over a pipe that supports this library's extensions.
type script struct {
	t *testing.T
	*softtest.Lone
	conn net.Conn
	in   []byte
}

func newScript(t *testing.T) *script {
	p := softtest.NewPipes()
	s := &script{t: t, Lone: softtest.NewLone(t, soft.FabricDriver("pipes", p), hca.Options{}, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})}
	met := make(chan struct{})
	var greeting iwarp.Segment
	go func() {
		s.conn = <-p.Dialled
		softtest.ReadRequest(t, s.conn)
		b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
		_, _ = s.conn.Write(b)
		greeting = s.next()
		close(met)
	}()
	if err := s.QP.Connect(context.Background(), "anywhere:7", hca.ConnParams{}); err != nil {
		t.Fatal(err)
	}
	<-met
	<-s.Events
	_, _ = s.conn.Write(iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: greeting.STag, TO: greeting.TO}, nil, true))
	return s
}

// next reads the next segment.
func (s *script) next() (seg iwarp.Segment) {
	s.t.Helper()
	for {
		ulpdu, used, _, err := iwarp.ParseFPDU(s.in, true)
		if err != nil {
			s.t.Fatal(err)
		}
		if used > 0 {
			if err := iwarp.ParseSegment(append([]byte(nil), ulpdu...), &seg); err != nil {
				s.t.Fatal(err)
			}
			s.in = s.in[used:]
			return seg
		}
		var b [4096]byte
		n, err := s.conn.Read(b[:])
		if err != nil {
			s.t.Fatalf("ours ended the stream: %v", err)
		}
		s.in = append(s.in, b[:n]...)
	}
}

// want checks the next segment's kind and number.
func (s *script) want(op iwarp.Opcode, msn iwarp.MSN) iwarp.Segment {
	s.t.Helper()
	seg := s.next()
	if seg.Op != op || !seg.Tagged && seg.MSN != msn {
		s.t.Fatalf("ours sent %v number %#x, want %v number %#x", seg.Op, seg.MSN, op, msn)
	}
	return seg
}

// done takes an entry.
func (s *script) done(op hca.Op) {
	s.t.Helper()
	var wc [1]hca.WC
	for deadline := time.Now().Add(time.Minute); s.CQ.Poll(wc[:]) == 0; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("no %v was completed", op)
		}
	}
	if wc[0].Op != op || wc[0].Status != hca.StatusOK {
		s.t.Fatalf("%+v, want %v", wc[0], op)
	}
}

func message(msn iwarp.MSN) []byte {
	return iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, QN: iwarp.QueueSend, MSN: msn}, []byte("x"), true)
}

// The numbers of messages, requests and responses wrap to 0, in both directions.
func TestNumbersWrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(t)
		synctest.Wait() // the greeting has arrived
		const from = ^iwarp.MSN(0) - 1
		stream.NumberFrom(s.QP, from)
		post := func(op hca.Op, n int) {
			if err := s.QP.PostSend(hca.SendWR{Op: op, Local: s.Seg(n), Remote: 8, RKey: 1}); err != nil {
				t.Fatal(err)
			}
		}
		stag, at := iwarp.STag(s.MR.RKey()), iwarp.TO(s.MR.Addr())
		request, answer := from, from // reads and atomics count together, responses of atomics alone
		for i := range iwarp.MSN(4) {
			msn := from + i
			if err := s.QP.PostRecv(hca.RecvWR{Local: s.Seg(8)}); err != nil {
				t.Fatal(err)
			}
			_, _ = s.conn.Write(message(msn))
			s.done(hca.OpRecv)
			_, _ = s.conn.Write(iwarp.AppendReadRequest(nil, request, iwarp.ReadRequest{SinkSTag: 5, Size: 8, SourceSTag: stag, SourceTO: at}, true))
			s.want(iwarp.OpReadResponse, 0)
			_, _ = s.conn.Write(iwarp.AppendAtomicRequest(nil, request+1, &iwarp.AtomicRequest{Op: iwarp.AtomicFetchAdd, ID: 9, STag: stag, TO: at}, true))
			s.want(iwarp.OpAtomicResponse, answer)

			post(hca.OpSend, 8)
			s.want(iwarp.OpSend, msn)
			s.done(hca.OpSend)
			post(hca.OpRead, 8)
			var r iwarp.ReadRequest
			if err := iwarp.ParseReadRequest(s.want(iwarp.OpReadRequest, request).Payload, &r); err != nil {
				t.Fatal(err)
			}
			_, _ = s.conn.Write(iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpReadResponse, Last: true, STag: r.SinkSTag, TO: r.SinkTO}, make([]byte, 8), true))
			s.done(hca.OpRead)
			post(hca.OpFetchAdd, 8)
			var a iwarp.AtomicRequest
			if err := iwarp.ParseAtomicRequest(s.want(iwarp.OpAtomicRequest, request+1).Payload, &a); err != nil {
				t.Fatal(err)
			}
			_, _ = s.conn.Write(iwarp.AppendAtomicResponse(nil, answer, iwarp.AtomicResponse{ID: a.ID}, true))
			s.done(hca.OpFetchAdd)
			request += 2
			answer++
		}
	})
}

// A peer that continues with a number other than 0 is refused.
func TestNumbersWrapWrong(t *testing.T) {
	for _, next := range []iwarp.MSN{1, 2, ^iwarp.MSN(0), 1 << 31} {
		t.Run(fmt.Sprintf("%#x", next), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				synctest.Wait()
				stream.NumberFrom(s.QP, ^iwarp.MSN(0))
				for range 2 {
					if err := s.QP.PostRecv(hca.RecvWR{Local: s.Seg(8)}); err != nil {
						t.Fatal(err)
					}
				}
				_, _ = s.conn.Write(message(^iwarp.MSN(0)))
				s.done(hca.OpRecv)
				_, _ = s.conn.Write(message(next))
				var term iwarp.Terminate
				if err := iwarp.ParseTerminate(s.want(iwarp.OpTerminate, iwarp.FirstMSN).Payload, false, &term); err != nil || term.Cause != iwarp.CauseUntaggedMSN {
					t.Errorf("the Terminate says %v, %v", term.Cause, err)
				}
				if ev := <-s.Events; ev.Kind != hca.EventBroken {
					t.Errorf("the connection ended with %+v", ev)
				}
			})
		})
	}
}
