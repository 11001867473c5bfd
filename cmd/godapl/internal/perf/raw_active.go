package perf

import (
	"cmp"
	"context"
	"io"
	"net"
	"slices"
	"time"
)

// rawPing is the median of the latency, one way, of messages between two
// sockets.
func (a *active) rawPing(ctx context.Context, do string) (float64, error) {
	c, err := a.dialRaw(ctx, do)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	buf := make([]byte, a.cfg.Size)
	once := func() error { return rawWait(c, buf) }
	if do == "raw poll" {
		s, err := newRawSocket(c.(*net.TCPConn), nil)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		once = func() error { return rawPoll(s, buf) }
	}
	h := newHistogram()
	for _, l := range []limit{a.cfg.limit().part(10), a.cfg.limit()} {
		h.Reset() // after warming up
		if err := l.times(h, tripsTimed, once); err != nil {
			return 0, err
		}
	}
	return typical(h) / 2, nil
}

func rawWait(c io.ReadWriter, buf []byte) error {
	if _, err := c.Write(buf); err != nil {
		return err
	}
	_, err := io.ReadFull(c, buf)
	return err
}

// streamSizes are the sizes of writes that bestStream tries, beside our own: large ones
// are not always the fastest.
var streamSizes = []int{64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20}

// bestStream is the bandwidth of writes to a socket, in MB/s, with the fastest size of
// writes. The first call tries all sizes, the second the best two, and later calls the
// better of these: the maximum over several tries would overestimate the bandwidth.
func (a *active) bestStream(ctx context.Context) (best float64, err error) {
	sizes := a.streams
	if sizes == nil {
		sizes = []int{a.cfg.Size}
		for _, n := range streamSizes {
			if n < a.cfg.Size || n <= a.own.Len() && n != a.cfg.Size {
				sizes = append(sizes, n)
			}
		}
	}
	found := make(map[int]float64, len(sizes))
	for _, n := range sizes {
		if found[n], err = a.rawStream(ctx, "raw stream", n); err != nil {
			return 0, err
		}
		best = max(best, found[n])
	}
	slices.SortStableFunc(sizes, func(x, y int) int { return cmp.Compare(found[y], found[x]) })
	a.streams = sizes[:max(1, min(2, len(sizes)-1))]
	return best, nil
}

// A streamSocket is a *net.TCPConn, a *tls.Conn, or polled.
type streamSocket interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// rawStream is the bandwidth of writes of so many bytes to a socket, in MB/s. The data is
// in the same memory that the library's writes use.
func (a *active) rawStream(ctx context.Context, do string, size int) (float64, error) {
	dialed, err := a.dialRaw(ctx, do)
	if err != nil {
		return 0, err
	}
	defer dialed.Close()
	c := dialed
	if do == "raw polled stream" {
		if c, err = newRawSocket(dialed.(*net.TCPConn), nil); err != nil {
			return 0, err
		}
		defer c.Close()
	}
	from := a.own.Bytes()
	write := func(l limit) (bytes int64, err error) {
		n, over, stop := l.begin()
		defer stop()
		most := n * int64(a.cfg.Size)
		for at := 0; (a.cfg.N == 0 || bytes < most) && !over.Load(); at += size {
			if at+size > len(from) {
				at = 0
			}
			if _, err := c.Write(from[at : at+size]); err != nil {
				return 0, err
			}
			bytes += int64(size)
		}
		return bytes, nil
	}
	if _, err := write(a.cfg.limit().part(10)); err != nil {
		return 0, err
	}
	began := time.Now()
	n, err := write(a.cfg.limit())
	if err != nil {
		return 0, err
	}
	if err := c.CloseWrite(); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil { // all has arrived
		return 0, err
	}
	return float64(n) / max(time.Since(began), 1).Seconds() / 1e6, nil
}

// copying is the bandwidth of copies between the places that writes in the
// process use, in MB/s.
func (a *active) copying() (float64, error) {
	n, over, stop := a.cfg.limit().begin()
	defer stop()
	began, bytes := time.Now(), 0
	for i := int64(0); i < n && !over.Load(); i++ {
		place := int(i % int64(a.cfg.Depth))
		at := place * a.cfg.stride()
		// The target is our own shared memory, which is like the peer's.
		bytes += copy(a.shared.Bytes()[at:at+a.cfg.Size], a.from[place].Bytes())
	}
	return float64(bytes) / max(time.Since(began), 1).Seconds() / 1e6, nil
}
