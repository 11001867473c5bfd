package debug

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/quantity"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// get asks the viewer for a page.
func get(v *viewer, query string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	v.serve(w, httptest.NewRequest("GET", "/debug/rdma/"+query, nil))
	return w
}

// TestStuckConnection finds the connection that is stuck, and the reason at both ends.
func TestStuckConnection(t *testing.T) {
	a, b := rdmatest.Pair(t)
	v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter(), b.Endpoint().Adapter()}}
	t0 := time.Now()
	v.take(t0.Add(-time.Hour))
	memory, err := a.Zone().Alloc(64, mem.Local)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Endpoint().PostSend(rdma.Send{From: memory.Slice(0, 64)}); err != nil {
		t.Fatal(err)
	}
	for b.Stats().ReceiveWaits == 0 {
		runtime.Gosched()
	}
	// The connection was idle for an hour. That is not how long the request has waited.
	if c := v.take(t0).Conns[0]; c.Idle != time.Hour || strings.Contains(c.Note, "stuck") {
		t.Errorf("idle for %v, and the note is %q", c.Idle, c.Note)
	}
	s := v.take(t0.Add(3 * time.Second))
	if len(s.Adapters) != 2 || len(s.Conns) != 2 || s.Total != 2 {
		t.Fatalf("%+v", s)
	}
	for i, want := range []Conn{
		{Endpoint: a.Endpoint().Number(), Peer: a.RemoteAddr().String(), Requests: 1, Note: "stuck for 3s: 1 requests wait for the peer"},
		{Endpoint: b.Endpoint().Number(), Peer: b.RemoteAddr().String(), ReceiveWaits: 1, Note: "finds no receive"},
	} {
		got := s.Conns[i]
		if got.Endpoint != want.Endpoint || got.Peer != want.Peer || got.State != "connected" || got.Path != "loop" ||
			got.Requests != want.Requests || got.ReceiveWaits != want.ReceiveWaits || !strings.Contains(got.Note, want.Note) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	q := query{sort: "endpoint", page: 1, text: "STUCK"}
	q.apply(s)
	if len(s.Conns) != 1 || s.Conns[0].Peer != a.RemoteAddr().String() || s.Total != 2 {
		t.Errorf("the filter leaves %+v", s.Conns)
	}
	b.Abort()
	<-a.Context().Done()
	if s := v.take(t0.Add(4 * time.Second)); s.Conns[0].Error == "" || s.Conns[0].State != "disconnected" {
		t.Errorf("after the end: %+v", s.Conns[0])
	}
}

// TestPublished: the page is on the default mux, shows what is published, and keeps nothing of it.
func TestPublished(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	adapter := a.Endpoint().Adapter()
	show := func() string {
		w := httptest.NewRecorder()
		http.DefaultServeMux.ServeHTTP(w, httptest.NewRequest("GET", "/debug/rdma/", nil))
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%d, %v", w.Code, w.Header())
		}
		return w.Body.String()
	}
	if body := show(); !strings.Contains(body, "no adapter is published") {
		t.Error(body)
	}
	remove := Publish(adapter)
	if body := show(); !strings.Contains(body, adapter.Name()) || !strings.Contains(body, a.RemoteAddr().String()) {
		t.Error(body)
	}
	remove()
	remove()
	if body := show(); strings.Contains(body, a.RemoteAddr().String()) || len(published.seen) != 0 {
		t.Error(body)
	}
}

// many is a snapshot of n connections with texts that a peer may choose.
func many(n int) *Snapshot {
	s := &Snapshot{Time: time.Unix(0, 0), Adapters: []Adapter{}}
	for i := range n {
		s.Conns = append(s.Conns, Conn{Adapter: "x", Endpoint: i, State: "connected", Peer: fmt.Sprintf("<script>alert(%d)</script>", i),
			Note: `"><b>`, Flight: []string{"<b>"}, BytesPerSecond: float64(i % 7), Idle: time.Duration(n-i) * time.Second})
	}
	s.Total = n
	return s
}

// TestEscaped: no text becomes HTML, neither of a peer nor of the query.
func TestEscaped(t *testing.T) {
	q := query{sort: "endpoint", page: 1, text: `<img src=x>"`}
	var b strings.Builder
	if err := page.Execute(&b, q.view(many(3))); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>alert", "<b>", "<img", `src=x>"`} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page contains %s:\n%s", bad, &b)
		}
	}
	if n := strings.Count(b.String(), "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	if !strings.Contains(b.String(), "&lt;script&gt;alert(2)") {
		t.Errorf("the peer is missing:\n%s", &b)
	}
}

// TestPages: each connection is on one page, and every page has its links.
func TestPages(t *testing.T) {
	for page := 1; page <= 3; page++ {
		q := query{sort: "endpoint", page: page}
		s := many(450)
		q.apply(s)
		v := q.view(s)
		if from := (page - 1) * rows; v.Rows[0].Endpoint != from || len(v.Rows) != min(rows, 450-from) || v.Pages != 3 {
			t.Errorf("page %d: %d rows from %d, of %d pages", page, len(v.Rows), v.Rows[0].Endpoint, v.Pages)
		}
		if (v.Before == "") != (page == 1) || (v.After == "") != (page == 3) {
			t.Errorf("page %d: links %q %q", page, v.Before, v.After)
		}
	}
	q := query{sort: "endpoint", page: 99}
	if v := q.view(many(5)); v.Page != 1 || len(v.Rows) != 5 {
		t.Errorf("behind the end: page %d with %d rows", v.Page, len(v.Rows))
	}
}

// TestOrder: each column sorts, both ways, and equal rows keep their order.
func TestOrder(t *testing.T) {
	for _, c := range columns {
		column, less := c.name, c.order
		for _, sign := range []string{"", "-"} {
			s := many(50)
			q := query{sort: sign + column, page: 1}
			q.apply(s)
			if !slices.IsSortedFunc(s.Conns, func(a, b Conn) int {
				if sign == "-" {
					return less(&b, &a)
				}
				return less(&a, &b)
			}) {
				t.Errorf("sort=%s%s does not sort", sign, column)
			}
		}
	}
	s := many(50)
	(&query{sort: "-bytes"}).apply(s)
	if s.Conns[0].Endpoint != 6 || s.Conns[1].Endpoint != 13 {
		t.Errorf("the first are %d and %d", s.Conns[0].Endpoint, s.Conns[1].Endpoint)
	}
}

// TestLinks: a link of a page is understood, and changes only what it says.
func TestLinks(t *testing.T) {
	q := query{sort: "-bytes", text: "a b&c", page: 3, refresh: 5}
	link := q.with(func(q *query) { q.page++ })
	back, err := parse(httptest.NewRequest("GET", "/"+link, nil).URL.Query())
	if want := (query{sort: "-bytes", text: "a b&c", page: 4, refresh: 5}); err != nil || back != want {
		t.Errorf("%s: %+v, %v", link, back, err)
	}
}

func TestBadQueries(t *testing.T) {
	for query, want := range map[string]string{
		"?sort=keys":    "no such column",
		"?format=xml":   "html or json",
		"?page=0":       "from 1 to",
		"?page=x":       "from 1 to",
		"?refresh=9999": "from 0 to 3600",
	} {
		if w := get(&viewer{}, query); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// TestJSON: the snapshot has these fields and no others: no key, no memory.
func TestJSON(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter()}}
	w := get(v, "?format=json&q=connected")
	var s struct {
		Connections, Adapters, Zones []map[string]any
		Queues                       []map[string]any `json:"completion_queues"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || len(s.Connections) != 1 || len(s.Adapters) != 1 || len(s.Zones) != 1 || len(s.Queues) != 0 { // no queue has the text
		t.Fatalf("%v: %s", err, w.Body)
	}
	for _, x := range []struct {
		got  map[string]any
		want string
	}{
		{s.Connections[0], "adapter bytes bytes_per_second endpoint idle_ns operations operations_per_second path peer receive_wait_now_ns receive_wait_ns receive_waits receives recv_depth requests retransmits send_depth send_stall_now_ns send_stall_ns send_stalls state"},
		{s.Zones[0], "adapter name regions registered_bytes windows"},
		{s.Adapters[0], "broken bytes bytes_per_second connections disconnected endpoints established listeners name operations operations_per_second regions registered_bytes zones"},
	} {
		var names []string
		for name := range x.got {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != x.want {
			t.Errorf("the fields are\n%s, want\n%s", got, x.want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		count(999): "999", count(uint64(1500)): "1.5 k", quantity.Bytes(1 << 30): "1.0 GiB", quantity.Bytes(4096): "4.0 KiB", quantity.Bytes(1000): "1000 B", quantity.Rate(0): "", quantity.Rate(0.25): "0.2", quantity.Rate(2e6): "2.0 M",
		quantity.Idle(999 * time.Millisecond): "", quantity.Idle(61 * time.Second): "1m1s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
