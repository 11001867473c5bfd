package debug

import (
	"context"
	"time"

	"github.com/godapl/godapl/rdma"
)

// connOf makes the row of an endpoint. It enters no gate: a goroutine may be stopped inside.
func connOf(adapter string, e *rdma.Endpoint, s *rdma.Stats) Conn {
	cfg := e.Config()
	c := Conn{Adapter: adapter, Endpoint: e.Number(), State: e.State().String(), SendDepth: cfg.SendDepth,
		RecvDepth: cfg.RecvDepth, shared: cfg.SharedReceives != nil, Requests: s.Requests, Receives: s.Receives}
	if conn := e.Conn(); conn != nil {
		c.conn = conn
		c.Path, c.Peer = conn.Path(), conn.RemoteAddr().String()
		if conn.Context().Err() != nil {
			c.Error = context.Cause(conn.Context()).Error()
		}
	}
	d := e.Description()
	c.Protocol, c.waits = d.State, d.Waits
	for _, op := range s.Ops {
		c.Operations += op.Operations
		c.Bytes += op.Bytes
	}
	c.Latency, c.P99 = latencyOf(s)
	c.ReceiveWaits, c.SendStalls, c.Retransmits, c.Stale = s.ReceiveWaits, s.SendStalls, s.Retransmits, s.Stale
	c.ReceiveWait, c.ReceiveWaitNow, c.SendStall, c.SendStallNow = s.ReceiveWait, s.ReceiveWaitNow, s.SendStall, s.SendStallNow
	return c
}

func adapterOf(a *rdma.Adapter, s rdma.AdapterStats) Adapter {
	sent, received := s.Sent(), s.Received()
	return Adapter{
		Name: a.Name(), Connections: s.Connections(), Established: s.Established, Disconnected: s.Disconnected, Broken: s.Broken,
		Listeners: s.Listeners, Endpoints: s.Endpoints, Zones: s.Zones, Regions: s.Regions, RegisteredBytes: s.RegisteredBytes,
		Operations: sent.Operations + received.Operations, Bytes: sent.Bytes + received.Bytes,
	}
}

// flightTime bounds the time in which flight recorders are read, up to that of one connection.
const flightTime = 500 * time.Millisecond

// readFlights reads the flight recorders, unless there are more rows than a page has. Connections that a goroutine
// holds are left out.
func readFlights(conns []Conn) {
	if len(conns) > rows {
		return
	}
	limit := time.Now().Add(flightTime)
	for i := range conns {
		if c := &conns[i]; c.conn != nil && !c.Stale && time.Now().Before(limit) {
			c.Flight = c.conn.Flight().Lines()
		}
	}
}
