package top

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/rdma/debug"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestOnceHasRates: the two looks of -once are so far apart that the page makes rates of them, whatever -every is.
func TestOnceHasRates(t *testing.T) {
	a, b := rdmatest.Pair(t)
	defer debug.Publish(a.Endpoint().Adapter())()
	from, err := a.Zone().Alloc(64, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.Zone().Alloc(64, mem.RemoteWrite)
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if looks++; looks == 2 {
			for range 1000 {
				if _, err := a.Write(t.Context(), from.Slice(0, 64), to.Remote()); err != nil {
					t.Error(err)
				}
			}
		}
		http.DefaultServeMux.ServeHTTP(w, r)
	}))
	defer server.Close()
	out, err := call(t.Context(), "-once", "-every", "1ms", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	row := ""
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, a.Endpoint().Adapter().Name()) {
			row = line
		}
	}
	if f := strings.Fields(row); len(f) < 8 { // name, connections, broken, regions, bytes and their unit, two rates
		t.Errorf("no rates in %q of\n%s", row, out)
	}
}

// TestOtherJSON: an answer that is not the page of rdma/debug does not look like a program without adapters.
func TestOtherJSON(t *testing.T) {
	for _, body := range []string{"{}", "null", `{"cmdline": ["x"], "memstats": {}}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) }))
		out, err := call(t.Context(), "-once", server.URL)
		server.Close()
		if command.Code(err) != command.Failed || !strings.Contains(err.Error(), "does the program import rdma/debug") {
			t.Errorf("%s: %v\n%s", body, err, out)
		}
	}
}
