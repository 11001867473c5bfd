package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// pump is a wire over any net.Conn: two goroutines move bytes between the stream and two buffers.
type pump struct {
	conn net.Conn
	wake func() // schedules the connection
	wg   sync.WaitGroup

	mu      sync.Mutex
	in      []byte // read from conn and not yet returned by read
	store   []byte // the memory of in, which is somewhere in it
	inErr   error
	inRoom  sync.Cond // the reader waits until in has room
	out     []byte    // accepted by write and not yet given to the writer
	outErr  error
	outMore sync.Cond // the writer waits for bytes in out
	wantTx  bool      // a write found no room
	stopped bool
}

const pumpBuffer = 256 << 10

// NewPump returns a wire over any stream, and wake schedules the connection. Profiles list its goroutines under the
// adapter.
func NewPump(conn net.Conn, adapter string, wake func()) *pump {
	w := &pump{conn: conn, wake: wake}
	w.inRoom.L, w.outMore.L = &w.mu, &w.mu
	w.wg.Go(hca.Labeled(adapter, "read", w.reader))
	w.wg.Go(hca.Labeled(adapter, "write", w.writer))
	return w
}

func (w *pump) reader() {
	buf := make([]byte, pumpBuffer)
	for {
		n, err := w.conn.Read(buf)
		w.mu.Lock()
		if n > 0 {
			// Not only until what came before is read: that may wait long, and the end be near.
			for len(w.in) > 0 && len(w.in)+n > pumpBuffer && !w.stopped {
				w.inRoom.Wait()
			}
			w.add(buf[:n])
		}
		w.inErr = err // known although earlier bytes may still be unread
		stopped := w.stopped
		w.mu.Unlock()
		if stopped {
			return
		}
		w.wake()
		if err != nil {
			return
		}
	}
}

func (w *pump) writer() {
	var buf []byte
	for {
		w.mu.Lock()
		for len(w.out) == 0 && !w.stopped {
			w.outMore.Wait()
		}
		if len(w.out) == 0 || w.outErr != nil {
			w.mu.Unlock()
			return
		}
		buf, w.out = w.out, buf[:0]
		w.mu.Unlock()
		_, err := w.conn.Write(buf)
		w.mu.Lock()
		if err != nil {
			w.outErr = err
		}
		wake := w.wantTx || err != nil // a caller that waits for room learns of it here
		w.wantTx = false
		w.mu.Unlock()
		if wake {
			w.wake()
		}
	}
}

func (w *pump) Read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.in) == 0 {
		if err := w.over(); err != nil {
			return 0, err
		}
		return 0, ErrAgain
	}
	n := copy(p, w.in)
	w.in = w.in[n:]
	w.inRoom.Signal()
	return n, nil
}

// add puts bytes behind those that nobody has read. The caller holds mu.
func (w *pump) add(p []byte) {
	if cap(w.in)-len(w.in) < len(p) { // the room is in front of them
		w.store = slices.Grow(append(w.store[:0], w.in...), len(p))
		w.in = w.store
	}
	w.in = append(w.in, p...)
}

func (w *pump) Write(list [][]byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outErr != nil {
		return 0, w.outErr
	}
	n := 0
	for _, b := range list {
		room := pumpBuffer - len(w.out)
		if len(b) > room {
			b = b[:room]
		}
		w.out = append(w.out, b...)
		n += len(b)
		if len(w.out) == pumpBuffer {
			break
		}
	}
	if n == 0 {
		w.wantTx = true
		return 0, ErrAgain
	}
	w.outMore.Signal()
	return n, nil
}

// Arm matters only after a missed edge: the goroutines call wake on their own whenever something changes.
func (w *pump) Arm(rx, tx bool) {
	w.mu.Lock()
	again := rx && (len(w.in) > 0 || w.inErr != nil) || tx && len(w.out) < pumpBuffer
	w.mu.Unlock()
	if again {
		w.wake()
	}
}

// Armed returns false: a Read costs no system call.
func (w *pump) Armed() bool { return false }

// ArmEnd does nothing: the reader reads on until its buffer is full.
func (w *pump) ArmEnd(bool) {}

// Leave does nothing: there is no poller.
func (w *pump) Leave() {}

func (w *pump) Ended() (told bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	err = w.over()
	if err == io.EOF {
		return true, nil
	}
	return err != nil, err
}

// over returns why there is nothing more to read, or nil. The system reports a reset only once: if the writer
// received it, the reader saw an end of the stream. The caller holds mu.
func (w *pump) over() error {
	if w.inErr == io.EOF && errors.Is(w.outErr, errno.Reset) {
		return w.outErr
	}
	return w.inErr
}

// Release lets the writer finish, until ctx has ended and a little longer, and stops the reader.
func (w *pump) Release(ctx context.Context) (net.Conn, error) {
	w.mu.Lock()
	w.stopped = true
	w.inRoom.Signal()
	w.outMore.Signal()
	w.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { _ = w.conn.SetWriteDeadline(time.Now().Add(LingerTime / 8)) })
	defer stop()
	_ = w.conn.SetReadDeadline(time.Unix(1, 0)) // long past: Read returns
	w.wg.Wait()
	_ = w.conn.SetDeadline(time.Time{})
	if w.inErr != nil && !errors.Is(w.inErr, io.EOF) && w.outErr != nil {
		_ = w.conn.Close()
		return nil, w.outErr
	}
	return w.conn, nil
}
