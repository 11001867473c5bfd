package sharedmem

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// A machine is two simulated processes with a connection over shared memory. All of it is the real code, over a real
// memory file that is mapped twice, but for two things. The handshake is left out. And nothing runs by itself: there is no
// poller, no poll watch and no engine, so that a scheduler takes each step, on one goroutine, and a seed is one history.
// Steps are what the programs do, the jobs of the engines, and doorbells and messages on the socket that have arrived.
type machine struct {
	t     *testing.T
	draw  *rand.Rand
	ends  [2]*process
	trace []string
	end   int // how it ends: see finish
}

// process is one of the two, with its program: it posts requests and receives, takes completions until there are none, and
// sleeps until it is notified.
type process struct {
	m       *machine
	name    string
	a       *core.Adapter
	path    *Path
	q       *core.QP
	c       *Conn
	peer    *process
	cq      hca.CQ
	mem     []byte
	mr      hca.MR
	asleep  bool
	told    bool // it is notified
	killed  bool
	left    int // requests to post
	serial  uint64
	under   []machineRequest // requests under way
	recvs   int              // receives that are posted
	again   []uint64         // receives to post again
	sent    []machineMessage // that the peer has not received
	count   uint64           // atomics
	over    bool
	orderly bool
}

type machineRequest struct {
	id  uint64
	op  hca.Op
	len int
}

// machineMessage is a message as the peer must get it.
type machineMessage struct {
	op     hca.Op
	off, n int // of what the sender has sent
}

// The memory of a process: what the peer reads, what the peer writes and counts in, what it sends, where it reads, and its
// receives.
const (
	machinePart  = 96 << 10
	machineRecv  = 40 << 10
	machineRecvs = 4
	machineReads = 4
	machineSends = 8

	machineRequests = 31 // more than a program posts

	machineConstant = 0
	machineTarget   = machinePart
	machineOut      = 2 * machinePart
	machineInto     = 3 * machinePart
	machineReceives = 4 * machinePart
	machineCounts   = machineReceives + machineRecvs*machineRecv // a word for each atomic
	machineMemory   = machineCounts + 8*machineRequests
)

func newMachine(t *testing.T, seed uint64) *machine {
	m := &machine{t: t, draw: rand.New(rand.NewPCG(seed, 7))}
	m.end = m.draw.IntN(4)
	kernel := m.draw.IntN(3) == 0
	for i := range m.ends {
		m.ends[i] = m.process([2]string{"a", "b"}[i])
	}
	a, b := m.ends[0], m.ends[1]
	a.peer, b.peer = b, a
	m.connect(kernel)
	return m
}

func (m *machine) must(err error) {
	if err != nil {
		m.t.Helper()
		m.t.Fatalf("%v, after\n%s", err, m.history())
	}
}

func (m *machine) process(name string) *process {
	e := &process{m: m, name: name, mem: make([]byte, machineMemory), left: 1 + m.draw.IntN(machineRequests-1)}
	e.a = core.NewAdapter(core.NewAttr("machine-"+name, "", hca.CapAtomics|hca.CapWriteImm), hca.Options{})
	e.path = NewPath(e.a, nil)
	e.a.Engine.Halt()
	e.a.Background.Halt()
	pd, err := e.a.NewPD()
	m.must(err)
	for i := range e.mem {
		e.mem[i] = machineByte(i)
	}
	clear(e.mem[machineTarget:machineOut])
	e.mr, err = pd.Register(hca.Memory{Bytes: e.mem}, hca.AllAccess)
	m.must(err)
	e.cq, err = e.a.NewCQ(hca.CQConfig{Depth: machineSends + machineRecvs, Notify: func() { e.told = true }})
	m.must(err)
	q, err := e.a.NewQP(hca.QPConfig{PD: pd, SendCQ: e.cq, RecvCQ: e.cq, SendDepth: machineSends, RecvDepth: machineRecvs,
		SendSGE: 1, RecvSGE: 1, ReadsOut: machineReads, ReadsIn: machineReads, Event: e.event})
	m.must(err)
	e.q = q.(*core.QP)
	for e.recvs < 1+m.draw.IntN(machineRecvs) {
		m.must(e.receive())
	}
	return e
}

func machineByte(i int) byte { return byte(i*7 + i>>8*13 + 3) }

// connect does what the handshake does.
func (m *machine) connect(kernel bool) {
	seg, err := shm.NewSegment("machine", segmentSize, 0)
	m.must(err)
	fd, err := neighbour.DupFD(seg.FD())
	m.must(err)
	other, err := shm.OpenSegment(fd, segmentSize, shm.ReadWrite)
	m.must(err)
	for _, e := range m.ends {
		e.c, err = e.path.newConn(e.q)
		m.must(err)
		e.c.peer.pid, e.c.peer.vm = os.Getpid(), kernel
	}
	a, b := m.ends[0].c, m.ends[1].c
	socks, err := neighbour.SocketPair()
	m.must(err)
	a.sock, b.sock = socks[0], socks[1]
	for i, e := range m.ends {
		c, p := e.c, e.peer.c
		c.peer.doorbell, err = neighbour.DupFD(p.own)
		m.must(err)
		fd, err := e.peer.path.directoryFD()
		m.must(err)
		c.peer.directory, err = shm.OpenSegment(fd, keydir.Size, shm.ReadOnly)
		m.must(err)
		m.must(c.attach([2]*shm.Segment{seg, other}[i], i, p.hello(neighbour.HelloAccept, nil)))
		_ = c.m.seg.CloseFile()
		m.must(e.q.Open("test", nil))
	}
	for _, e := range m.ends {
		if !e.q.Establish(e.c) {
			m.t.Fatal("it is not established")
		}
		e.c.start()
		e.q.Release()
	}
}

func (e *process) event(ev hca.ConnEvent) {
	e.over, e.orderly = true, ev.Kind == hca.EventDisconnected
	e.told = true // the program learns of it
	e.m.note(e, "ends: %v %v", ev.Kind, ev.Err)
}

func (m *machine) note(e *process, format string, args ...any) {
	m.trace = append(m.trace, e.name+" "+fmt.Sprintf(format, args...))
}

func (m *machine) history() string {
	return strings.Join(m.trace[max(0, len(m.trace)-60):], "\n")
}

func (e *process) segment(at, n int) hca.Segment {
	return hca.Segment{Addr: e.mr.Addr() + uint64(at), Len: uint32(n), Key: e.mr.LKey()}
}

func (e *process) receive() error {
	i := e.serial % machineRecvs
	e.serial++
	e.recvs++
	return e.q.PostRecv(hca.RecvWR{ID: 1<<63 | i, Local: e.segment(machineReceives+int(i)*machineRecv, machineRecv)})
}

// post posts a request.
func (e *process) post() {
	m := e.m
	id := uint64(e.left)
	wr := hca.SendWR{ID: id, RKey: e.peer.mr.RKey()}
	n := m.draw.IntN([]int{100, 3000, machineRecv}[m.draw.IntN(3)] + 1)
	off := m.draw.IntN(machinePart - machineRecv)
	switch m.draw.IntN(6) {
	case 0, 1:
		wr.Op, wr.Local = hca.OpSend, e.segment(machineOut+off, n)
	case 2:
		wr.Op, wr.Local, wr.Remote = hca.OpWrite, e.segment(machineOut, n), e.peer.mr.Addr()+machineTarget+8
	case 3:
		wr.Op, wr.Imm, wr.Local, wr.Remote = hca.OpWriteImm, uint32(n), e.segment(machineOut, n), e.peer.mr.Addr()+machineTarget+8
	case 4:
		wr.Op, n = hca.OpFetchAdd, 8
		wr.Local, wr.Remote, wr.Operand = e.segment(machineCounts+8*int(id), 8), e.peer.mr.Addr()+machineTarget, 1
	default:
		n = m.draw.IntN(machinePart)
		wr.Op, wr.Local, wr.Remote = hca.OpRead, e.segment(machineInto, n), e.peer.mr.Addr()+machineConstant
	}
	if m.draw.IntN(6) == 0 {
		wr.Flags |= hca.Fence
	}
	err := e.q.PostSend(wr)
	m.note(e, "posts %v %d of %d bytes: %v", wr.Op, id, n, err)
	if err != nil {
		if !e.over && e.q.State.Load() == core.StateReady {
			m.t.Fatalf("post: %v, after\n%s", err, m.history())
		}
		e.left = 0
		return
	}
	e.left--
	e.under = append(e.under, machineRequest{id, wr.Op, n})
	if wr.Op == hca.OpSend || wr.Op == hca.OpWriteImm {
		e.sent = append(e.sent, machineMessage{wr.Op, off, n})
	}
}
