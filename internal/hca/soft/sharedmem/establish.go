package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

func barrier() bool { return shm.BarrierRegistered() }

func (p *Path) newConn(q *core.QP) (*Conn, error) {
	c := &Conn{q: q, a: q.Adapter, p: p, number: core.Numbers.Add(1), sock: -1, own: -1, tornDown: make(chan struct{})}
	c.InitSend(q, c)
	c.out.rkeys.clear()
	c.in.rkeys.clear()
	c.peer.doorbell = -1
	var err error
	c.own, err = shm.NewEvent()
	return c, err
}

// probePeer is replaced in tests.
var probePeer = shm.ProbePeer

// learnPeer stores how to reach the peer's memory: its key directory, whose descriptor the connection takes over,
// and whether the kernel helps.
func (c *Conn) learnPeer(s neighbour.Socket, h *neighbour.Hello, directory int) error {
	c.peer.pid = s.Peer().PID
	c.peer.vm = probePeer(c.peer.pid, h.Probe, h.Secret[:]) == nil
	var err error
	if c.peer.directory, err = shm.OpenSegment(directory, keydir.Size, shm.ReadOnly); err != nil {
		return err
	}
	_ = c.peer.directory.CloseFile()
	return nil
}

// process is the peer's, which has sent h first.
func (c *Conn) process(h *neighbour.Hello) group.Process {
	return group.Process{PID: c.peer.pid, Secret: h.Secret}
}

// there is where the connection is on the side of the peer, which has sent first, and then h.
func (c *Conn) there(first, h *neighbour.Hello) group.There {
	return group.There{Process: c.process(first), Number: h.Group, Slot: h.Slot, Own: h.Own}
}

// joinGroup takes a place among the connections with the peer's process. It returns descriptors for the peer.
func (c *Conn) joinGroup(peer group.Process) (fds []int) {
	if c.p.simulation == nil {
		fds = c.group.Join(&c.p.groups, c.q, peer, c)
	}
	return fds
}

// attach takes the memory over, as the given side. After an error the connection keeps nothing of it; discard
// releases the rest.
func (c *Conn) attach(seg *shm.Segment, side int, h *neighbour.Hello) error {
	c.m.init(seg, side, shm.NewOrder(h.Barrier))
	c.peer.zone, c.peer.conn, c.peer.sees, c.peer.refuses = h.Zone, h.Conn, h.Sees, h.Refuses
	b := seg.Bytes()
	for _, err := range []error{
		c.out.requests.init(b, side, requestRing), c.out.answers.init(b, side^1, answerRing),
		c.in.requests.init(b, side^1, requestRing), c.in.answers.init(b, side, answerRing),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// discard releases the resources of a connection that was never established.
func (c *Conn) discard() {
	if c.m.seg != nil {
		_ = c.m.seg.Close()
	}
	if c.peer.directory != nil {
		_ = c.peer.directory.Close()
		c.peer.directory = nil
	}
	c.maps.Close()
	c.group.Leave()
	for _, fd := range []int{c.own, c.peer.doorbell, c.sock} {
		if fd >= 0 {
			shm.CloseFD(fd)
		}
	}
}

// unmap releases everything. The caller is inside both gates. An event of the socket may be under way.
func (c *Conn) unmap() {
	c.sockMu.Lock()
	c.sockGone = true
	c.sockMu.Unlock()
	c.unwatch()
	c.discard()
	c.m.seg = nil
}

// join binds the connection to the queue pair and reports it. It takes over the socket.
func (c *Conn) join(s neighbour.Socket, h *neighbour.Hello, info hca.ConnInfo) error {
	q := c.q
	fd, err := s.Detach()
	if err == nil {
		c.sock = fd
		err = c.watch(s)
	}
	if err != nil {
		c.discard()
		return q.OpenFailed(hca.Wrap(hca.Resources, "connect", info.Remote, "", err))
	}
	if !q.Establish(c) {
		c.unmap() // the gates are not in use yet
		return q.OpenFailed(core.ErrAborted)
	}
	c.remote = info.Remote
	info.Path, info.Acked, info.Poster = "shm", true, c.q.Direct(c)
	info.Caps = q.Adapter.Attrs.Caps
	info.ReadsOut, info.ReadsIn = min(q.Config.ReadsOut, h.Reads.In), min(q.Config.ReadsIn, h.Reads.Out)
	c.noReads.Store(info.ReadsOut == 0)
	q.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	c.start()
	q.Release()
	return nil
}
