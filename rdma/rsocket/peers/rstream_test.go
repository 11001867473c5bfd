package peers_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// small makes every rule of the protocol apply within kilobytes.
var small = rsocket.Config{Ring: 4096, MaxRing: 4096, Messages: 16}

// rstreams are runs of rstream: both sides greet each other with 16 bytes, then the client sends count
// times size bytes and the server as many, and that a number of times.
var rstreams = []struct {
	size, count, times int
	options            string
	cfg                rsocket.Config
}{
	{1000, 20, 5, "", rsocket.Config{}},
	{1000, 20, 5, "-T a", rsocket.Config{}},
	{1000, 20, 5, "-T n -T v", rsocket.Config{}},
	{1000, 20, 5, "-T r -T b -T v", rsocket.Config{}},
	{100000, 1, 1, "-B 4096 -T b -T v", small},
	{1, 1000, 1, "-T b -T v", rsocket.Config{}},
	{2 << 20, 1, 1, "-T b -T v", rsocket.Config{}},
	{1000, 200, 1, "-T b -T v -k 1", rsocket.Config{}},
	{1000, 20, 5, "-T b -T v -i 0", rsocket.Config{}},
}

// TestRstream: rstream of rdma-core, as client and as server, with its main options.
func TestRstream(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for i, r := range rstreams {
			args := append([]string{"-S", fmt.Sprint(r.size), "-C", fmt.Sprint(r.count), "-I", fmt.Sprint(r.times)}, strings.Fields(r.options)...)
			name := fmt.Sprintf("%d_%s", i, strings.Join(args, " "))
			t.Run(name+"/client of C", func(t *testing.T) {
				w.turn(t, i)
				c, p := w.accept(t, r.cfg, func(port string) *program {
					return start(t, nil, "rstream", append(args, "-s", w.host, "-p", port)...)
				})
				must(t, rstream(c, r.size, r.count, r.times, false, strings.Contains(r.options, "-T v")))
				// With -T a it takes an end that comes with the last bytes for an error.
				_, err := io.Copy(io.Discard, c)
				must(t, err)
				must(t, c.Close())
				p.fine()
			})
			t.Run(name+"/server of C", func(t *testing.T) {
				w.turn(t, i+1)
				for again := false; ; again = true {
					c, p := w.dial(t, r.cfg, func(port string) *program {
						return start(t, nil, "rstream", append(args, "-b", w.host, "-p", port)...)
					})
					err := rstream(c, r.size, r.count, r.times, true, strings.Contains(r.options, "-T v"))
					// C closes at once, and siw then loses the last bytes now and then: docs/rsocket.md.
					if !again && errors.Is(err, rsocket.ErrReset) && strings.HasPrefix(w.adapter.Name(), "siw") && p.ended() == nil {
						t.Log("once more: ", err)
						_ = c.Close()
						continue
					}
					must(t, err)
					must(t, c.Close())
					p.fine()
					return
				}
			})
		}
	})
}

// rstream is our side of a run. Its bytes count up, over all that a side sends; those of C do so if
// it was told to verify.
func rstream(c io.ReadWriter, size, count, times int, client, counting bool) error {
	var sent, got counting8
	buf := make([]byte, max(size, 16))
	send := func(n, count int) error {
		for range count {
			if counting {
				sent.fill(buf[:n])
			}
			if _, err := c.Write(buf[:n]); err != nil {
				return err
			}
		}
		return nil
	}
	receive := func(n, count int) error {
		for range count {
			if _, err := io.ReadFull(c, buf[:n]); err != nil {
				return err
			}
			if counting && !got.matches(buf[:n]) {
				return fmt.Errorf("other bytes than were sent")
			}
		}
		return nil
	}
	first, second := receive, send
	if client {
		first, second = send, receive
	}
	for i := range times + 1 {
		n, count := size, count
		if i == 0 {
			n, count = 16, 1
		}
		if err := first(n, count); err != nil {
			return err
		}
		if err := second(n, count); err != nil {
			return err
		}
	}
	return nil
}

// counting8 counts up from 0, modulo 256.
type counting8 byte

func (n *counting8) fill(b []byte) {
	for i := range b {
		b[i] = byte(*n)
		*n++
	}
}

func (n *counting8) matches(b []byte) bool {
	for _, x := range b {
		if x != byte(*n) {
			return false
		}
		*n++
	}
	return true
}
