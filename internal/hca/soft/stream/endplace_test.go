package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// deafWire accepts everything and delivers nothing: a test pushes bytes into the receive half.
type deafWire struct{}

func (deafWire) Read([]byte) (int, error) { return 0, wire.ErrAgain }

func (deafWire) Write(list [][]byte) (n int, _ error) {
	for _, b := range list {
		n += len(b)
	}
	return n, nil
}

func (deafWire) Arm(bool, bool)                            {}
func (deafWire) ArmEnd(bool)                               {}
func (deafWire) Armed() bool                               { return false }
func (deafWire) Leave()                                    {}
func (deafWire) Ended() (bool, error)                      { return false, nil }
func (deafWire) Release(context.Context) (net.Conn, error) { return nil, net.ErrClosed }

// lateAnswer is a connection over a stream whose end meets the frames for its only operation.
type lateAnswer struct {
	a      *core.Adapter
	q      *core.QP
	c      *Conn
	cq     hca.CQ
	mem    []byte
	mr     hca.MR
	status []hca.Status // of the entries, as the consumer has taken them
	looks  int
}

// newBare is an adapter with this path alone.
func newBare(opt hca.Options) (*core.Adapter, *Path) {
	a := core.NewAdapter(core.NewAttr("test", "", hca.CapAtomics|hca.CapWriteImm), opt)
	p, err := NewPath(a, nil)
	if err != nil {
		panic(err)
	}
	return a, p
}

// newLateAnswer posts the operation and prepares all frames for it.
func newLateAnswer(post func(m *lateAnswer) error, frames func(payload []byte) []byte) *lateAnswer {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	var err error
	m := &lateAnswer{mem: make([]byte, 64)}
	var path *Path
	m.a, path = newBare(hca.Options{})
	m.a.Engine.Halt() // a worker's steps would be in no order; the run does the jobs
	pd, err := m.a.NewPD()
	must(err)
	m.mr, err = pd.Register(hca.Memory{Bytes: m.mem}, hca.AllAccess)
	must(err)
	m.cq, err = m.a.NewCQ(hca.CQConfig{Depth: 8})
	must(err)
	p, err := m.a.NewQP(hca.QPConfig{PD: pd, SendCQ: m.cq, RecvCQ: m.cq, SendDepth: 4, RecvDepth: 4, SendSGE: core.MaxSGE, ReadsOut: 4, ReadsIn: 4})
	must(err)
	m.q = p.(*core.QP)
	m.c = path.newConn(m.q, true)
	m.c.w, m.c.crc, m.c.ord, m.c.ird = deafWire{}, true, 4, 4
	m.c.mulpdu.Store(longULPDU)
	m.c.peer.Store(peerGodapl)
	m.c.in.any = true
	m.c.ending.Store(true) // the goroutine that closes the stream would wait for the gates, in which others stop
	must(m.q.Open("test", nil))
	m.q.Establish(m.c)
	m.q.Release()
	must(post(m))
	m.c.in.push(frames(bytes.Repeat([]byte{0x55}, len(m.mem))))
	return m
}

// look is the consumer: it takes the entries, and paints the operation's memory.
func (m *lateAnswer) look() {
	m.looks++
	var wcs [4]hca.WC
	for _, wc := range wcs[:m.cq.Poll(wcs[:])] {
		m.status = append(m.status, wc.Status)
		for i := range m.mem {
			m.mem[i] = 0xC1
		}
	}
}

// work does the engine's jobs.
func (m *lateAnswer) work() {
	for m.a.Engine.Step() {
	}
}

// state lists everything on which the rest of a run can depend.
func (m *lateAnswer) state() string {
	q, c := m.q, m.c
	word, marked := c.rx.Dump()
	return fmt.Sprint(m.mem, m.status, m.looks, q.Dump(), word, marked, c.noPlacing.Load(),
		c.in.r, c.in.w, c.in.off, c.in.read.off, c.in.HasCur, c.in.closed, c.in.flushed, c.in.wakeSend, c.shared.readsDone.Load(),
		m.a.Engine.Busy())
}

// check is called at the end.
func (m *lateAnswer) check() error {
	m.work()
	seen := len(m.status) > 0
	changed := bytes.Count(m.mem, []byte{0xC1}) != len(m.mem)
	m.look()
	switch {
	case len(m.status) != 1 || m.status[0] != hca.StatusOK && m.status[0] != hca.StatusFlushed:
		return fmt.Errorf("the entries are %v, want one, good or flushed", m.status)
	case seen && changed:
		return errors.New("memory was changed behind the completion")
	}
	return nil
}

func (m *lateAnswer) close() { m.a.Shutdown(func() {}) }

func segments(header func(last bool, off int) []byte, payload []byte, crc bool) (b []byte) {
	half := len(payload) / 2
	for off := 0; off < len(payload); off += half {
		start := len(b)
		b = append(b, header(off+half == len(payload), off)...)
		b = append(b, payload[off:off+half]...)
		b = iwarp.FinishFPDU(b, start, crc)
	}
	return b
}

// TestTheEndMeetsWhatIsPlaced: the end of a connection, the placing of an operation's data in two frames, and a
// consumer that paints the memory after the completion meet in every order of their steps: nobody writes to the
// memory after the completion.
func TestTheEndMeetsWhatIsPlaced(t *testing.T) {
	if race.Enabled {
		t.Skip("the walker orders every step, so the race detector sees nothing here, and it takes long for the adapters")
	}
	local := func(m *lateAnswer, n int) hca.Segment {
		return hca.Segment{Addr: m.mr.Addr(), Len: uint32(n), Key: m.mr.LKey()}
	}
	for _, kind := range []struct {
		name   string
		post   func(m *lateAnswer) error
		frames func(payload []byte) []byte
	}{
		{"read", func(m *lateAnswer) error {
			return m.q.PostSend(hca.SendWR{Op: hca.OpRead, Local: local(m, 64), Remote: 1, RKey: 1})
		}, func(payload []byte) []byte {
			return segments(func(last bool, off int) []byte {
				return iwarp.AppendTaggedHeader(nil, iwarp.TaggedHeader{Op: iwarp.OpReadResponse, Last: last, STag: readSTag(iwarp.FirstMSN), TO: iwarp.TO(off)}, len(payload)/2)
			}, payload, true)
		}},
		{"atomic", func(m *lateAnswer) error {
			m.mem = m.mem[:8]
			return m.q.PostSend(hca.SendWR{Op: hca.OpFetchAdd, Local: local(m, 8), Remote: 8, RKey: 1})
		}, func([]byte) []byte {
			return iwarp.AppendAtomicResponse(nil, iwarp.FirstMSN, iwarp.AtomicResponse{ID: uint32(readSTag(iwarp.FirstMSN)), Original: 7}, true)
		}},
		{"receive", func(m *lateAnswer) error {
			return m.q.PostRecv(hca.RecvWR{Local: local(m, 64)})
		}, func(payload []byte) []byte {
			return segments(func(last bool, off int) []byte {
				return iwarp.AppendUntaggedHeader(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: last, QN: iwarp.QueueSend, MSN: iwarp.FirstMSN, MO: iwarp.MO(off)}, len(payload)/2)
			}, payload, true)
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var now *interleave.Run
			step := func(_ *core.QP, step string) { now.Step(step) }
			core.StepHook.Store(&step)
			defer core.StepHook.Store(nil)
			rep := interleave.Walk(t, func(r *interleave.Run) {
				now = r
				m := newLateAnswer(kind.post, kind.frames)
				r.State(m.state)
				r.Go("stream", func() { m.c.runRx() })
				r.Go("end", func() { _ = m.q.Disconnect(false) })
				r.Go("consumer", func() {
					for range 3 {
						m.look()
						r.Step("look")
					}
				})
				r.Go("engine", m.work)
				r.Check(m.check)
				r.Finally(m.close)
			})
			if t.Logf("%v", rep); rep.Err != nil || rep.Runs < 50 {
				t.Fatalf("%v: %v", rep, rep.Err)
			}
		})
	}
}
