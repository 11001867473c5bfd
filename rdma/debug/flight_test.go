package debug

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestFlights: the page and the JSON have the events of each connection that is shown, if it records them.
func TestFlights(t *testing.T) {
	t.Setenv("GODAPL_FLIGHT", "1")
	a, b := rdmatest.Pair(t)
	t.Setenv("GODAPL_FLIGHT", "0")
	c, _ := rdmatest.Pair(t)
	adapters := []*rdma.Adapter{a.Endpoint().Adapter(), c.Endpoint().Adapter()}
	v := &viewer{adapters: adapters}
	body := get(v, "").Body.String()
	if n := strings.Count(body, "<details data-key"); n != 1 || !strings.Contains(body, " established\n") {
		t.Errorf("%d rows of 2 have events:\n%s", n, body)
	}
	if body := get(v, "?q=nobody").Body.String(); strings.Contains(body, "<details data-key") {
		t.Errorf("events of a connection that is not shown:\n%s", body)
	}
	b.Abort()
	<-a.Context().Done()
	var s Snapshot
	if err := json.Unmarshal(get(v, "?format=json").Body.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Conns) != 2 || len(s.Conns[0].Flight) != 3 || !strings.HasSuffix(s.Conns[0].Flight[2], " ended") || s.Conns[1].Flight != nil {
		t.Errorf("%+v", s.Conns)
	}
}

// TestTooManyFlights: programs that ask for all connections at once do not get the events.
func TestTooManyFlights(t *testing.T) {
	t.Setenv("GODAPL_FLIGHT", "1")
	a, _ := rdmatest.Pair(t)
	for n, want := range map[int]bool{rows: true, rows + 1: false} {
		conns := make([]Conn, n)
		conns[0].conn = a
		if readFlights(conns); (conns[0].Flight != nil) != want {
			t.Errorf("of %d connections, one with a recorder has %q", n, conns[0].Flight)
		}
	}
}
