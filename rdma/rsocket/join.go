package rsocket

import (
	"errors"
	"net"
	"sync"
)

// Join returns one listener that accepts the connections of all given listeners, for example one of
// RDMA and one of TCP. Its address is that of the first. The listeners belong to the result from now
// on: Close closes all of them.
//
// Whether two listeners can have one port is up to the adapter: on one host (loop, shm) and on
// RoCE the ports of RDMA are numbers of their own. On iWARP, that of the software adapter
// included, they are ports of TCP, so the two need different ones.
func Join(first net.Listener, more ...net.Listener) net.Listener {
	j := &joined{all: append([]net.Listener{first}, more...), accepted: make(chan accepted), closed: make(chan struct{})}
	for _, ln := range j.all {
		j.work.Go(func() { j.serve(ln) })
	}
	return j
}

type joined struct {
	all      []net.Listener
	accepted chan accepted
	closed   chan struct{}
	once     sync.Once
	work     sync.WaitGroup
}

type accepted struct {
	conn net.Conn
	err  error
}

// serve passes on what a listener gives, until it is closed. Other errors go to the program, which
// decides whether to go on, by another Accept.
func (j *joined) serve(ln net.Listener) {
	for {
		c, err := ln.Accept()
		select {
		case j.accepted <- accepted{c, err}:
		case <-j.closed:
			if c != nil {
				_ = c.Close()
			}
			return
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

func (j *joined) Accept() (net.Conn, error) {
	select {
	case a := <-j.accepted:
		return a.conn, a.err
	case <-j.closed:
		return nil, &net.OpError{Op: "accept", Net: network, Addr: j.Addr(), Err: net.ErrClosed}
	}
}

func (j *joined) Addr() net.Addr { return j.all[0].Addr() }

func (j *joined) Close() error {
	err := error(&net.OpError{Op: "close", Net: network, Addr: j.Addr(), Err: net.ErrClosed})
	j.once.Do(func() {
		close(j.closed)
		err = nil
		for _, ln := range j.all {
			err = errors.Join(err, ln.Close())
		}
		j.work.Wait()
	})
	return err
}
