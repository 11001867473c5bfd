package top

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/rdma/debug"
	"github.com/godapl/godapl/rdma/rdmatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func call(ctx context.Context, args ...string) (out string, err error) {
	var b bytes.Buffer
	err = run(ctx, args, command.Streams{Out: &b, Err: &b})
	return b.String(), err
}

// TestTop reads the page of a program, here of this one.
func TestTop(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	defer debug.Publish(a.Endpoint().Adapter())()
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	for _, page := range []string{server.URL, strings.TrimPrefix(server.URL, "http://"), server.URL + "/debug/rdma/"} {
		out, err := call(t.Context(), "-once", "-every", "1ms", page)
		if err != nil || strings.Count(out, a.RemoteAddr().String()) != 1 || !strings.Contains(out, "1 of 1 endpoints") {
			t.Errorf("%s: %v\n%s", page, err, out)
		}
	}
	out, err := call(t.Context(), server.URL, "-once", "-every", "1ms", "-q", "nobody")
	if err != nil || !strings.Contains(out, "0 of 1 endpoints") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := call(t.Context(), "-once", "-sort", "keys", server.URL); command.Code(err) != command.Misused || !strings.HasPrefix(err.Error(), "sort=keys: there is no such column; see") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestInterrupt: an interrupt ends the command without an error.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if looks++; looks == 3 {
			cancel()
		}
		w.Write([]byte(`{"time": "2026-01-02T03:04:05Z"}`))
	}))
	defer server.Close()
	out, err := call(ctx, "-every", "1ms", server.URL)
	if err != nil || strings.Count(out, "0 of 0 endpoints") < 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNoPage(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{server.URL, command.Failed, "does the program import rdma/debug"},
		{"127.0.0.1:1", command.Failed, "refused"},
		{"", command.Misused, "the URL of the page"},
		{"-n 0 " + server.URL, command.Misused, "more than 0"},
		{server.URL + " more", command.Misused, "no argument \"more\""},
		{"ftp://x/", command.Misused, "the URL of the page"},
	} {
		if out, err := call(t.Context(), strings.Fields(c.args)...); command.Code(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("godapl top %s: %v\n%s", c.args, err, out)
		}
	}
}

// TestTexts: texts of the page do not change the terminal, and long tables are cut.
func TestTexts(t *testing.T) {
	s := &debug.Snapshot{Total: 3, Adapters: []debug.Adapter{{Name: "x", RegisteredBytes: 3 << 20, OpsPerSecond: 1.5e6}}}
	for _, peer := range []string{"\x1b[2Jone", "two\r\n", "three"} {
		s.Conns = append(s.Conns, debug.Conn{Peer: peer, BytesPerSecond: 999, Idle: 90 * time.Second, Note: "a note"})
	}
	var b bytes.Buffer
	write(&b, s, 2)
	out := b.String()
	for _, want := range []string{"[2Jone", "two", "3.0 MiB", "1.5 M", "999", "1m30s", "a note", "2 of 3 endpoints"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	s.Conns = s.Conns[2:]
	s.Conns[0].Flight = []string{"12:00:00 a stall", "12:00:01 \x1b[2Jbroken"}
	var one bytes.Buffer
	write(&one, s, 2)
	if text := one.String(); !strings.HasSuffix(text, "12:00:00 a stall\n12:00:01 [2Jbroken\n") {
		t.Errorf("the events of a single connection are missing:\n%s", text)
	}
	if strings.ContainsAny(out, "\x1b\r") || strings.Contains(out, "three") {
		t.Errorf("%q", out)
	}
}

// TestTooLong: a page that is longer than what is read of it is not taken for another one.
func TestTooLong(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"time": "2026-01-02T03:04:05Z"`)
		for blank := make([]byte, 1<<20); ; {
			for i := range blank {
				blank[i] = ' '
			}
			if _, err := w.Write(blank); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	out, err := call(t.Context(), server.URL)
	if err == nil || !strings.Contains(err.Error(), "more than 64 MiB") || !strings.Contains(err.Error(), "-q") {
		t.Errorf("%v\n%s", err, out)
	}
}
