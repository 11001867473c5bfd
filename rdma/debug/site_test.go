package debug

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// site serves the page with peers that choose bad names. It counts the looks; the answer to the first has its details
// opened, as if somebody had done so.
type site struct {
	plain bool // the browser is told to run no scripts
	mu    sync.Mutex
	looks int
	other []string // requests for anything but the page
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path != "/debug/rdma/" {
		if r.URL.Path != "/favicon.ico" {
			s.other = append(s.other, r.URL.Path)
		}
		http.NotFound(w, r)
		return
	}
	q, err := parse(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.looks++
	answer := httptest.NewRecorder()
	q.answer(answer, hostile(s.looks))
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	if s.plain {
		w.Header().Add("Content-Security-Policy", "sandbox allow-forms")
	}
	body := answer.Body.String()
	if s.looks == 1 {
		body = strings.Replace(body, `<details data-key="x 3 events">`, `<details data-key="x 3 events" open>`, 1)
	}
	fmt.Fprint(w, body)
}

// hostile is a snapshot whose texts try to become more.
func hostile(look int) *Snapshot {
	s := &Snapshot{Time: time.Unix(1700000000, 0).UTC(), Total: 8, TotalQueues: 2}
	s.Adapters = []Adapter{{Name: "soft", Connections: 4, Established: 9, Endpoints: 8, Zones: 2, Regions: 12, RegisteredBytes: 3 << 20, OpsPerSecond: 1.2e6, BytesPerSecond: 4e8}}
	for i := range 8 {
		c := Conn{Adapter: "x", Endpoint: i, State: "connected", Path: "tcp", Peer: fmt.Sprintf("192.0.2.%d:7471", i), Requests: i, SendDepth: 64,
			RecvDepth: 64, OpsPerSecond: float64(i * 1000), BytesPerSecond: float64((i * 5) % 8), Idle: time.Duration(i) * time.Second, ReceiveWaits: uint64(look)}
		switch i {
		case 2:
			c.Peer = `<script>document.title = "executed"; fetch("/executed")</script>`
			c.Error = `connection broken: "><img src=/image onerror='fetch("/executed")'>`
		case 3:
			c.Note = "stuck for 12s: a message of the peer finds no receive: this program posts too few"
			c.Flight = []string{"14:03:07.120554 connecting", "</pre></details><script>fetch('/executed')</script>"}
		case 5:
			c.Note = "stuck for 3m0s: the transport has no room: the peer or the network takes nothing"
			c.Peer = "javascript:fetch('/executed')"
		}
		s.Conns = append(s.Conns, c)
	}
	s.Conns = append(s.Conns, Conn{Adapter: "other", State: "connected", Peer: "left out"})
	s.Zones = []Zone{{"soft", "zone 1", 10, 0, 2 << 20}, {"soft", "zone 2", 2, 1, 1 << 20}}
	s.Queues = []Queue{{Adapter: "x", Name: "completion queue 1", Depth: 1024, High: 300, Taken: 5e6, EmptyPolls: 12345, Arms: 3, Wakes: 2},
		{Adapter: "x", Name: "completion queue 2", Depth: 16, Waiting: 16, High: 16, Overflows: 1}}
	s.Shown = []Object{{"mailbox of <b>orders</b>", []Fact{{"credits", "12 of 64"}}}}
	return s
}
