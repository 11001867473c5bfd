package debug

import (
	"context"
	"time"

	"github.com/godapl/godapl/rdma"
)

// A Snapshot is what the page shows.
type Snapshot struct {
	Time     time.Time `json:"time"`
	Adapters []Adapter `json:"adapters"`
	Conns    []Conn    `json:"connections"`
	// Total is the number of all endpoints, those that the query leaves out included.
	Total int `json:"total"`
}

// An Adapter is a row of the first table.
type Adapter struct {
	Name            string  `json:"name"`
	Connections     uint64  `json:"connections"`
	Established     uint64  `json:"established"`
	Disconnected    uint64  `json:"disconnected"`
	Broken          uint64  `json:"broken"`
	Listeners       int     `json:"listeners"`
	Endpoints       int     `json:"endpoints"`
	Zones           int     `json:"zones"`
	Regions         int     `json:"regions"`
	RegisteredBytes uint64  `json:"registered_bytes"`
	Operations      uint64  `json:"operations"`
	Bytes           uint64  `json:"bytes"`
	OpsPerSecond    float64 `json:"operations_per_second"`
	BytesPerSecond  float64 `json:"bytes_per_second"`
}

// A Conn is a row of the second table: an endpoint, with its connection if it has one.
type Conn struct {
	Adapter  string `json:"adapter"`
	Endpoint int    `json:"endpoint"` // as errors name it
	State    string `json:"state"`
	Path     string `json:"path,omitempty"`
	Peer     string `json:"peer,omitempty"`

	Requests  int `json:"requests"`   // posted and not complete
	SendDepth int `json:"send_depth"` // how many there may be
	Receives  int `json:"receives"`
	RecvDepth int `json:"recv_depth"`

	Operations     uint64  `json:"operations"`
	Bytes          uint64  `json:"bytes"`
	OpsPerSecond   float64 `json:"operations_per_second"`
	BytesPerSecond float64 `json:"bytes_per_second"`
	ReceiveWaits   uint64  `json:"receive_waits"`
	SendStalls     uint64  `json:"send_stalls"`
	Retransmits    uint64  `json:"retransmits"`
	// How long all waits and stalls took, and how long the one that goes on has lasted; 0: none goes on. See
	// rdma.Stats.
	ReceiveWait    time.Duration `json:"receive_wait_ns"`
	ReceiveWaitNow time.Duration `json:"receive_wait_now_ns"`
	SendStall      time.Duration `json:"send_stall_ns"`
	SendStallNow   time.Duration `json:"send_stall_now_ns"`
	// Idle is how long no operation has completed, as far as the looks at the page tell.
	Idle time.Duration `json:"idle_ns"`
	// Stale: the counters could not be read in time. They are older, or 0.
	Stale bool   `json:"stale,omitempty"`
	Note  string `json:"note,omitempty"`
	Error string `json:"error,omitempty"` // why the connection ended

	// Latency has the operations that were measured: see rdma.OpenConfig.Latency. P99 is the longest of
	// their P99.
	Latency []Latency     `json:"latency,omitempty"`
	P99     time.Duration `json:"p99_ns,omitempty"`

	// Flight is a line for each event of the connection's flight recorder: see rdma.Conn.Flight. It is
	// there if the recorder is on, and if no more than 200 connections are shown or selected.
	Flight []string `json:"flight,omitempty"`

	conn   *rdma.Conn
	shared bool // the receives are of a shared queue
}

// readFlights reads the flight recorders, unless there are more rows than a page has. It takes lookTime at most,
// and one connection more.
func readFlights(conns []Conn) {
	if len(conns) > rows {
		return
	}
	limit := time.Now().Add(lookTime)
	for i := range conns {
		if c := &conns[i]; c.conn != nil && time.Now().Before(limit) {
			c.Flight = c.conn.Flight().Lines()
		}
	}
}

// lookTime bounds the time in which counters are read: the page answers even if goroutines that hold a
// connection have stopped.
const lookTime = 500 * time.Millisecond

// connOf reads one endpoint. Its counters are left out after the time limit.
func connOf(adapter string, e *rdma.Endpoint, limit time.Time) Conn {
	cfg := e.Config()
	c := Conn{Adapter: adapter, Endpoint: e.Number(), State: e.State().String(), SendDepth: cfg.SendDepth,
		RecvDepth: cfg.RecvDepth, shared: cfg.SharedReceives != nil}
	c.Requests, c.Receives = e.Outstanding()
	if conn := e.Conn(); conn != nil {
		c.conn = conn
		c.Path, c.Peer = conn.Path(), conn.RemoteAddr().String()
		if conn.Context().Err() != nil {
			c.Error = context.Cause(conn.Context()).Error()
		}
	}
	if c.Stale = time.Now().After(limit); c.Stale {
		return c
	}
	s := e.Stats()
	for _, op := range s.Ops {
		c.Operations += op.Operations
		c.Bytes += op.Bytes
	}
	c.Latency, c.P99 = latencyOf(&s)
	c.ReceiveWaits, c.SendStalls, c.Retransmits, c.Stale = s.ReceiveWaits, s.SendStalls, s.Retransmits, s.Stale
	c.ReceiveWait, c.ReceiveWaitNow, c.SendStall, c.SendStallNow = s.ReceiveWait, s.ReceiveWaitNow, s.SendStall, s.SendStallNow
	return c
}

func adapterOf(a *rdma.Adapter) Adapter {
	s := a.Stats()
	sent, received := s.Sent(), s.Received()
	return Adapter{
		Name: a.Name(), Connections: s.Connections(), Established: s.Established, Disconnected: s.Disconnected, Broken: s.Broken,
		Listeners: s.Listeners, Endpoints: s.Endpoints, Zones: s.Zones, Regions: s.Regions, RegisteredBytes: s.RegisteredBytes,
		Operations: sent.Operations + received.Operations, Bytes: sent.Bytes + received.Bytes,
	}
}
