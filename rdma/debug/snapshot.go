package debug

import (
	"time"

	"github.com/godapl/godapl/rdma"
)

// A Snapshot is what the page shows.
type Snapshot struct {
	Time     time.Time `json:"time"`
	Adapters []Adapter `json:"adapters"`
	Conns    []Conn    `json:"connections"`
	Zones    []Zone    `json:"zones"`
	Queues   []Queue   `json:"completion_queues"`
	Shown    []Object  `json:"shown,omitempty"` // see Show
	// Total and TotalQueues are the numbers of all endpoints and queues, those that the query leaves out
	// included.
	Total       int `json:"total"`
	TotalQueues int `json:"total_completion_queues"`
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
	// How long all waits and stalls took, and how long the current one has lasted; 0: there is none. See
	// rdma.Stats.
	ReceiveWait    time.Duration `json:"receive_wait_ns"`
	ReceiveWaitNow time.Duration `json:"receive_wait_now_ns"`
	SendStall      time.Duration `json:"send_stall_ns"`
	SendStallNow   time.Duration `json:"send_stall_now_ns"`
	// Idle is how long no operation has completed, as far as the looks at the page tell.
	Idle time.Duration `json:"idle_ns"`
	// Stale: a goroutine holds the connection, and the counters could not be read. They are older, or 0.
	Stale bool   `json:"stale,omitempty"`
	Note  string `json:"note,omitempty"`
	// Protocol is the state of the protocol above: see rdma.Endpoint.Describe.
	Protocol string `json:"protocol,omitempty"`
	Error    string `json:"error,omitempty"` // why the connection ended

	// Latency has the operations that were measured: see rdma.OpenConfig.Latency. P99 is the longest of
	// their P99.
	Latency []Latency     `json:"latency,omitempty"`
	P99     time.Duration `json:"p99_ns,omitempty"`

	// Flight is a line for each event of the connection's flight recorder: see rdma.Conn.Flight. It is
	// there if the recorder is on, and if no more than 200 connections are shown or selected.
	Flight []string `json:"flight,omitempty"`

	conn   *rdma.Conn
	shared bool          // the receives are of a shared queue
	waits  string        // what the protocol says that its program waits for
	busy   time.Duration // how long looks have seen work, and no operation that has completed
}
