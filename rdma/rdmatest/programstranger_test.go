package rdmatest_test

import (
	"math/rand/v2"
	"net"
	"time"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// programStranger is a peer of a program that is not of this library, and breaks a rule of iWARP. An endpoint of the program
// connects to it.
type programStranger struct {
	p        *program
	from, to *programHost
	conn     net.Conn // of the stranger
	in       []byte   // read and not parsed
	memory   *mem.Region
}

// strangerDepth is how many reads the stranger wants.
const strangerDepth = 2

// run connects, and does one thing. If something else goes wrong meanwhile, nothing can be said.
func (s *programStranger) run(draw *rand.Rand) {
	ctx := s.p.w.Context()
	var err error
	if s.memory, err = s.from.zone.Register(make([]byte, strangerSize), mem.All); err != nil {
		return
	}
	defer s.memory.Free()
	ln, err := s.to.h.ListenRaw(ctx, s.to.h.Name()+":0")
	if err != nil {
		return
	}
	defer ln.Close()
	greeted := make(chan bool, 1)
	go func() { greeted <- s.greet(ln) }()
	endpoint, err := s.from.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: s.from.zone})
	if err != nil {
		_ = ln.Close()
		<-greeted
		return
	}
	defer endpoint.Close()
	conn, err := endpoint.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
	_ = ln.Close()
	if ok := <-greeted; s.conn != nil {
		defer s.conn.Close()
		if err == nil && ok {
			s.breakRule(draw, conn)
		}
	}
}

// greet answers the request of the startup.
func (s *programStranger) greet(ln net.Listener) bool {
	var err error
	if s.conn, err = ln.Accept(); err != nil {
		return false
	}
	_ = s.conn.SetDeadline(time.Now().Add(20 * time.Minute))
	for {
		var f iwarp.Frame
		used, _, err := iwarp.ParseRequest(s.in, &f)
		if err != nil || used == 0 && s.more() != nil {
			return false
		}
		if used > 0 {
			s.in = s.in[used:]
			f.IRD, f.ORD, f.Private = strangerDepth, strangerDepth, nil
			if f.Enhanced {
				f.RTR = iwarp.RTRWrite
			}
			reply, err := iwarp.AppendReply(nil, &f)
			if err != nil {
				return false
			}
			_, err = s.conn.Write(reply)
			return err == nil
		}
	}
}

func (s *programStranger) more() error {
	buf := make([]byte, 4096)
	n, err := s.conn.Read(buf)
	s.in = append(s.in, buf[:n]...)
	return err
}

// next takes the next segment of the endpoint.
func (s *programStranger) next() (op iwarp.Opcode, err error) {
	for {
		ulpdu, used, _, err := iwarp.ParseFPDU(s.in, true)
		if err != nil {
			return 0, err
		}
		if used > 0 {
			var seg iwarp.Segment
			err = iwarp.ParseSegment(ulpdu, &seg)
			s.in = s.in[used:]
			return seg.Op, err
		}
		if err := s.more(); err != nil {
			return 0, err
		}
	}
}

func (s *programStranger) breakRule(draw *rand.Rand, conn *rdma.Conn) {
	into := s.memory
	switch draw.IntN(3) {
	case 0: // an operation of this library, before the peer has said what it is
		_ = conn.PostFetchAdd(rdma.FetchAdd{Into: into.Slice(0, 8), At: into.Slice(8, 8).Remote(), Add: 1})
		time.AfterFunc(time.Duration(1+draw.IntN(2000))*time.Millisecond, func() {
			_, _ = s.conn.Write(iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: 1, TO: 1}, nil, true))
		})
		s.look()
		return
	case 1: // more reads than the endpoint takes, whatever the stranger has said
		var all []byte
		for i := range 2 * conn.Endpoint().Config().ReadsIn {
			all = iwarp.AppendReadRequest(all, iwarp.FirstMSN+iwarp.MSN(i), iwarp.ReadRequest{SinkSTag: 1, Size: strangerSize,
				SourceSTag: iwarp.STag(into.All().Remote().Key), SourceTO: iwarp.TO(into.All().Remote().Addr)}, true)
		}
		_, _ = s.conn.Write(all)
	default: // a message that is not due
		_ = conn.PostRecv(rdma.Recv{Into: into.Slice(0, 8)})
		_, _ = s.conn.Write(iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, QN: iwarp.QueueSend, MSN: iwarp.FirstMSN + 1}, []byte("not due"), true))
	}
	// The stranger reads nothing, so the answer to the first read has not left.
	select {
	case <-conn.Context().Done():
	case <-time.After(time.Minute):
		if s.p.fault.harmless {
			s.p.t.Errorf("a stranger broke a rule, and was not refused")
		}
	}
}

// strangerSize is how much the stranger reads at once: more than a way holds.
const strangerSize = 1 << 20

// look reads what the endpoint sends, until it ends. No operation of an extension may be among it.
func (s *programStranger) look() {
	for {
		op, err := s.next()
		if err != nil {
			return
		}
		if op.Extension() {
			s.p.t.Errorf("a stranger got the operation %v", op)
		}
	}
}
