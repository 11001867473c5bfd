package peer

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/godapl/godapl/cmd/godapl/internal/selftest"
	"github.com/godapl/godapl/internal/doctor"
	"github.com/godapl/godapl/rdma"
)

// atOnce bounds the clients that are served at a time. Others wait.
const atOnce = 4

// A Visit is a talk that has ended: the report of the client, and the tests that it ran.
type Visit struct {
	From   net.Addr
	Report *doctor.Report
	Tests  []doctor.Test
	Err    error // why the talk ended early, or nil
}

// Serve answers clients at a listener until ctx is done, and closes it. look makes the report
// of this host, anew for each client; visited is called at the end of each talk. Both may be
// called concurrently.
func Serve(ctx context.Context, ln net.Listener, look func() *doctor.Report, visited func(Visit)) error {
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	defer ln.Close()
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, atOnce)
	for {
		places <- struct{}{}
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			if err == nil {
				conn.Close()
			}
			return nil
		}
		if err != nil {
			return err
		}
		running.Go(func() {
			defer func() { <-places }()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			defer conn.Close()
			visited(visit(ctx, conn, look)) // before the client is let go
		})
	}
}

// visit talks with a client.
func visit(ctx context.Context, conn net.Conn, look func() *doctor.Report) Visit {
	v := Visit{From: conn.RemoteAddr(), Report: new(doctor.Report)}
	t := newTalk(conn)
	var h hello
	if v.Err = t.receive(&h); v.Err != nil {
		return v
	}
	if h.Version != version {
		v.Err = fmt.Errorf("the client has version %d of the protocol, this host %d: use the same godapl", h.Version, version)
		return v
	}
	v.Report = doctor.Foreign(h.Report)
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	o := offer{Report: look()}
	for _, p := range adapters(o.Report) {
		end, err := p.open(ctx, host)
		if err != nil {
			p.Error = err.Error()
		} else {
			defer end()
		}
		o.Places = append(o.Places, p)
	}
	var done results
	if v.Err = t.send(o); v.Err == nil {
		v.Err = t.receive(&done)
	}
	v.Tests = done.Tests
	return v
}

// open makes a partner on the adapter of a place, and sets its address. A device listens at
// its own address, other adapters at host.
func (p *place) open(ctx context.Context, host string) (end func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, selftest.Limit)
	defer cancel()
	adapter, err := rdma.Open(ctx, p.Adapter, rdma.OpenConfig{})
	if err != nil {
		return nil, err
	}
	if p.Kind != "TCP" {
		host = adapter.Attributes().Address
	}
	partner, err := selftest.Listen(ctx, adapter, net.JoinHostPort(host, "0"))
	if err != nil {
		adapter.Close()
		return nil, err
	}
	p.Address = partner.Addr()
	return func() { partner.Close(); adapter.Close() }, nil
}
