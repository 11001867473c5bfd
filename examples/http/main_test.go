package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// versions has the answers of a server, as the client sees them, have a version of HTTP.
type versions struct {
	t    *testing.T
	next http.RoundTripper
	want int
}

func (v versions) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := v.next.RoundTrip(r)
	if err == nil && answer.ProtoMajor != v.want {
		v.t.Errorf("%v: an answer by %s, not HTTP/%d", r.URL, answer.Proto, v.want)
	}
	return answer, err
}

func (v versions) CloseIdleConnections() { v.next.(*http.Transport).CloseIdleConnections() }

// TestFiles gets files of some sizes, by HTTP/1 and, with TLS, by HTTP/2, and one that is not there.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	contents := map[string][]byte{}
	for name, size := range map[string]int{"empty": 0, "small": 10, "large": 3 << 20} {
		b := make([]byte, size)
		_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(b)
		contents[name] = b
		write(t, filepath.Join(folder, name), b)
	}
	cert, key := certificate(t)
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		for scheme, files := range map[string][3]string{"http": {}, "https": {cert, key, cert}} {
			t.Run(name+"/"+scheme, func(t *testing.T) {
				adapter, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
				if err != nil {
					t.Skip(err)
				}
				defer adapter.Close()
				s, err := serve(t.Context(), adapter, "127.0.0.1:0", folder, files[0], files[1])
				must(t, err)
				c, err := newClient(adapter, files[2], false)
				must(t, err)
				version := 1
				if scheme == "https" {
					version = 2
				}
				c.Transport = versions{t, c.Transport, version}
				for file, want := range contents {
					var got bytes.Buffer
					if err := get(t.Context(), c, scheme+"://"+s.addr()+"/"+file, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
						t.Errorf("%s: %d bytes of %d, or others: %v", file, got.Len(), len(want), err)
					}
				}
				if err := get(t.Context(), c, scheme+"://"+s.addr()+"/none", io.Discard); err == nil || !strings.Contains(err.Error(), "404") {
					t.Errorf("a file that is not there: %v", err)
				}
				c.CloseIdleConnections()
				must(t, s.close())
			})
		}
	}
}

// TestFallback gets from a server that knows nothing of RDMA.
func TestFallback(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "plain") }))
	defer plain.Close()
	var out bytes.Buffer
	must(t, run(t.Context(), []string{"-adapter", "soft-loop", "-fallback", "-get", plain.URL}, &out, io.Discard))
	if out.String() != "plain" {
		t.Errorf("%q", out.String())
	}
	if err := run(t.Context(), []string{"-adapter", "soft-loop", "-get", plain.URL}, &out, io.Discard); err == nil {
		t.Error("without -fallback it gets there, too")
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                                      "either",
		"-serve . -get x":                       "either",
		"-adapter soft-loop -get x -ca /none/":  "none",
		"-adapter soft-loop -serve /none/":      "none",
		"-adapter soft-loop -serve . -key x":    "both -cert and -key",
		"-adapter soft-loop -serve . -cert x":   "both -cert and -key",
		"-adapter soft-loop -get x -cert x":     "for -serve",
		"-adapter soft-loop -serve . -ca x":     "for -get",
		"-adapter soft-loop -serve . -fallback": "for -get",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := run(ctx, append([]string{"-listen", "127.0.0.1:0"}, strings.Fields(args)...), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	must(t, os.WriteFile(name, b, 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
