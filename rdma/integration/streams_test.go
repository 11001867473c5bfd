package integration_test

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
)

// memory is a fabric of streams in memory. It counts the open streams, and can cut all of
// them.
type memory struct {
	pipe func() (net.Conn, net.Conn)

	mu        sync.Mutex
	listeners map[string]*memoryListener
	open      map[*counted]struct{}
}

func newMemory(pipe func() (net.Conn, net.Conn)) *memory {
	return &memory{pipe: pipe, listeners: map[string]*memoryListener{}, open: map[*counted]struct{}{}}
}

// counted is a stream of the fabric's that reports its end.
type counted struct {
	net.Conn
	m *memory
}

func (c *counted) Close() error {
	c.m.mu.Lock()
	delete(c.m.open, c)
	c.m.mu.Unlock()
	return c.Conn.Close()
}

func (m *memory) count(c net.Conn) net.Conn {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := &counted{c, m}
	m.open[k] = struct{}{}
	return k
}

func (m *memory) streams() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

// cut ends all streams without notice to their users.
func (m *memory) cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.open {
		c.Conn.Close()
	}
}

func (m *memory) Listen(_ context.Context, address string) (net.Listener, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.listeners[address] != nil {
		return nil, rdma.ErrServiceInUse
	}
	l := &memoryListener{m: m, address: address, streams: make(chan net.Conn), closed: make(chan struct{})}
	m.listeners[address] = l
	return l, nil
}

func (m *memory) Dial(ctx context.Context, address string) (net.Conn, error) {
	m.mu.Lock()
	l := m.listeners[address]
	m.mu.Unlock()
	if l == nil {
		return nil, rdma.ErrRefused
	}
	ours, pipe := m.pipe()
	theirs := m.count(pipe)
	var err error
	select {
	case l.streams <- theirs:
		return m.count(ours), nil
	case <-l.closed:
		err = rdma.ErrRefused
	case <-ctx.Done():
		err = ctx.Err()
	}
	_, _ = theirs.Close(), ours.Close()
	return nil, err
}

type memoryListener struct {
	m       *memory
	address string
	streams chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.streams:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.m.mu.Lock()
		delete(l.m.listeners, l.address)
		l.m.mu.Unlock()
	})
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr(l.address) }

type memoryAddr string

func (memoryAddr) Network() string  { return "memory" }
func (a memoryAddr) String() string { return string(a) }

// buffered makes a pair of streams with some room, as a socket has: each write
// of at most a few bytes is read in pieces of other sizes. net.Pipe has no room
// at all.
func buffered() (net.Conn, net.Conn) {
	up, down := newTube(), newTube()
	return &tubes{in: down, out: up}, &tubes{in: up, out: down}
}

// tube is one direction.
type tube struct {
	mu     sync.Mutex
	change *sync.Cond
	b      []byte
	eof    bool
	// Deadlines of the reader and the writer: whether they are over.
	late  [2]bool
	timer [2]*time.Timer
}

const tubeRoom = 100_003 // nothing divides it

func newTube() *tube {
	t := &tube{}
	t.change = sync.NewCond(&t.mu)
	return t
}

func (t *tube) read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.b) == 0 && !t.eof && !t.late[0] {
		t.change.Wait()
	}
	switch {
	case t.late[0]:
		return 0, os.ErrDeadlineExceeded
	case len(t.b) == 0:
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 7919)], t.b)
	t.b = t.b[n:]
	t.change.Broadcast()
	return n, nil
}

func (t *tube) write(p []byte) (n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(p) > 0 {
		for len(t.b) >= tubeRoom && !t.eof && !t.late[1] {
			t.change.Wait()
		}
		switch {
		case t.eof:
			return n, io.ErrClosedPipe
		case t.late[1]:
			return n, os.ErrDeadlineExceeded
		}
		k := min(len(p), tubeRoom-len(t.b))
		t.b = append(t.b, p[:k]...)
		p = p[k:]
		n += k
		t.change.Broadcast()
	}
	return n, nil
}

func (t *tube) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.eof = true
	t.change.Broadcast()
}

// deadline sets the deadline of the reader (0) or writer (1).
func (t *tube) deadline(who int, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer[who] != nil {
		t.timer[who].Stop()
		t.timer[who] = nil
	}
	wait := time.Until(at)
	t.late[who] = !at.IsZero() && wait <= 0
	if !at.IsZero() && wait > 0 {
		t.timer[who] = time.AfterFunc(wait, func() { t.deadline(who, time.Unix(1, 0)) })
	}
	t.change.Broadcast()
}

// tubes is a stream of two.
type tubes struct{ in, out *tube }

func (t *tubes) Read(p []byte) (int, error)  { return t.in.read(p) }
func (t *tubes) Write(p []byte) (int, error) { return t.out.write(p) }

func (t *tubes) Close() error {
	t.SetDeadline(time.Time{})
	t.in.close()
	t.out.close()
	return nil
}

func (t *tubes) LocalAddr() net.Addr                 { return memoryAddr("here:1") }
func (t *tubes) RemoteAddr() net.Addr                { return memoryAddr("there:1") }
func (t *tubes) SetReadDeadline(at time.Time) error  { t.in.deadline(0, at); return nil }
func (t *tubes) SetWriteDeadline(at time.Time) error { t.out.deadline(1, at); return nil }

func (t *tubes) SetDeadline(at time.Time) error {
	t.in.deadline(0, at)
	t.out.deadline(1, at)
	return nil
}
