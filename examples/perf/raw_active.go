package main

import (
	"context"
	"io"
	"net"
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
		s, err := newRawSocket(c)
		if err != nil {
			return 0, err
		}
		defer s.close()
		once = func() error { return rawPoll(s, buf) }
	}
	h := newHistogram()
	for _, l := range []limit{a.cfg.limit().part(10), a.cfg.limit()} {
		h.Reset() // after warming up
		n, over, stop := l.begin()
		defer stop()
		for range n {
			began := time.Now()
			if err := once(); err != nil {
				return 0, err
			}
			if err := h.RecordValue(int64(time.Since(began))); err != nil {
				return 0, err
			}
			if over.Load() {
				break
			}
		}
	}
	return float64(h.ValueAtQuantile(50)) / 2, nil
}

func rawWait(c *net.TCPConn, buf []byte) error {
	if _, err := c.Write(buf); err != nil {
		return err
	}
	_, err := io.ReadFull(c, buf)
	return err
}

// rawStream is the bandwidth of writes to a socket, in MB/s.
func (a *active) rawStream(ctx context.Context) (float64, error) {
	c, err := a.dialRaw(ctx, "raw stream")
	if err != nil {
		return 0, err
	}
	defer c.Close()
	write := func(l limit) (bytes int64, err error) {
		n, over, stop := l.begin()
		defer stop()
		for i := int64(0); i < n && !over.Load(); i++ {
			place := a.from[i%int64(len(a.from))]
			if _, err := c.Write(place.Bytes()); err != nil {
				return 0, err
			}
			bytes += int64(place.Len())
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
	return float64(n) / time.Since(began).Seconds() / 1e6, nil
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
	return float64(bytes) / time.Since(began).Seconds() / 1e6, nil
}
