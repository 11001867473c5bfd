package peers_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// preload is the environment that has a program for TCP use rsockets.
func preload(t *testing.T) []string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/*/rsocket/librspreload.so")
	if len(found) == 0 {
		t.Skip("librspreload is not installed")
	}
	return []string{"LD_PRELOAD=" + found[0]}
}

// TestNetcat: nc sends us a file, and we to it.
func TestNetcat(t *testing.T) {
	// It all fits into the ring of C: a poll of rdma-core 44 may oversleep by five seconds each time
	// that it waits for more.
	file := make([]byte, 100_000)
	new(counting8).fill(file)
	eachWorld(t, func(t *testing.T, w *world) {
		env := preload(t)
		t.Run("client of C", func(t *testing.T) {
			from := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(from, file, 0o600))
			c, p := w.accept(t, rsocket.Config{}, func(port string) *program {
				return startFrom(t, from, env, "nc.traditional", "-n", "-q", "3", w.host, port)
			})
			got, err := io.ReadAll(c)
			must(t, err)
			must(t, c.Close())
			p.fine()
			if !bytes.Equal(got, file) {
				t.Errorf("%d bytes, which are not those of the file", len(got))
			}
		})
		t.Run("server of C", func(t *testing.T) {
			if testing.Short() {
				t.Skip("nc as server hangs once in five runs, with nc as client, too: docs/rsocket.md")
			}
			for again := false; ; again = true {
				c, p := w.dial(t, rsocket.Config{}, func(port string) *program {
					return start(t, env, "nc.traditional", "-n", "-l", "-s", w.host, "-p", port)
				})
				_, err := c.Write(file)
				must(t, err)
				must(t, c.Close())
				// Now and then nc waits for ever and has read nothing: docs/rsocket.md.
				if err := p.ended(); err != nil && p.output.Len() == 0 && !again {
					t.Log("once more: ", err)
					continue
				}
				p.fine()
				if !bytes.Equal(p.output.Bytes(), file) {
					t.Errorf("%d bytes, which are not those of the file", p.output.Len())
				}
				return
			}
		})
	})
}

// TestCurl: curl gets files from net/http.
func TestCurl(t *testing.T) {
	file := make([]byte, 1_234_567)
	new(counting8).fill(file)
	eachWorld(t, func(t *testing.T, w *world) {
		env := preload(t)
		ln, port := w.listen(t, rsocket.Config{})
		started := make(chan *program, 1)
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if err := (<-started).overRDMA(); err != nil {
				t.Error(err)
			}
			_, _ = w.Write(file)
		})}
		done := make(chan error, 1)
		go func() { done <- s.Serve(ln) }()
		p := start(t, env, "curl", "-sS", "http://"+w.host+":"+port+"/file")
		started <- p
		p.fine()
		if !bytes.Equal(p.output.Bytes(), file) {
			t.Errorf("%d bytes, which are not those of the file", p.output.Len())
		}
		must(t, s.Close())
		<-done
	})
}
