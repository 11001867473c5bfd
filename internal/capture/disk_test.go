package capture

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/capture/capturetest"
)

// faulty is a file that fails from some byte on.
type faulty struct {
	mu     sync.Mutex
	left   int
	closed int
}

var errFull = errors.New("no space left on device")

func (f *faulty) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func (f *faulty) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

// TestDiskFull: the capture ends, is told once, and nothing else happens.
func TestDiskFull(t *testing.T) {
	for name, left := range map[string]int{"at once": 0, "later": 1 << 20} {
		disk := &faulty{left: left}
		told := make(chan error, 10)
		f, _ := start(t, Config{Failed: func(err error) { told <- err },
			create: func(string) (io.WriteCloser, error) { return disk, nil }})
		fl := f.Flow(tcp(here4), tcp(there4), true)
		r := rng()
		feed(fl, request(false), reply())
		for range 200 {
			feed(fl, fpdu(r, 30000), fpdu(r, 100))
		}
		if left == 0 {
			if err := <-told; !errors.Is(err, errFull) {
				t.Errorf("%s: told %v", name, err)
			}
			told <- errFull // for below
		}
		feed(fl, fpdu(r, 1), fpdu(r, 1))
		fl.SentEnd()
		fl.Close()
		if err := f.Close(); !errors.Is(err, errFull) {
			t.Errorf("%s: Close gives %v", name, err)
		}
		if len(told) != 1 {
			t.Errorf("%s: told %d times", name, len(told))
		}
		if disk.closed != 1 || f.pending != nil {
			t.Errorf("%s: closed %d times, %d bytes pending", name, disk.closed, len(f.pending))
		}
		f.Flow(tcp(here4), tcp(there4), true).Close()
		_ = f.Close() // again
	}
}

func feed(fl *Flow, mine, its []byte) {
	send(fl, mine)
	fl.Received(its)
}

// TestNextFileFails: there is no folder any more when the next file is due.
func TestNextFileFails(t *testing.T) {
	told := make(chan error, 1)
	f, dir := start(t, Config{FileSize: MinFileSize, Failed: func(err error) { told <- err }})
	must(t, os.RemoveAll(dir))
	fl := f.Flow(tcp(here4), tcp(there4), true)
	r := rng()
	for range 100 {
		feed(fl, fpdu(r, 30000), fpdu(r, 100))
	}
	if err := <-told; !errors.Is(err, os.ErrNotExist) {
		t.Errorf("told %v", err)
	}
	fl.Close()
	if err := f.Close(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Close gives %v", err)
	}
}

// stuck is a file that takes nothing until it is let go.
type stuck struct{ letGo chan struct{} }

func (s stuck) Write(p []byte) (int, error) { <-s.letGo; return len(p), nil }
func (s stuck) Close() error                { return nil }

// TestDiskStuck: streams wait once, for a second, and then go on. The data that waits
// for the disk is bounded.
func TestDiskStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stuck{make(chan struct{})}
		told := make(chan error, 10)
		f, _ := start(t, Config{Failed: func(err error) { told <- err }, create: func(string) (io.WriteCloser, error) { return s, nil }})
		fl := f.Flow(tcp(here4), tcp(there4), true)
		r := rng()
		big := fpdu(r, 60000)
		begin := time.Now()
		for range 1000 {
			feed(fl, big, big)
			f.mu.Lock()
			n := len(f.pending)
			f.mu.Unlock()
			if n > maxPending {
				t.Fatalf("%d bytes pending", n)
			}
		}
		if d := time.Since(begin); d != patience {
			t.Errorf("waited %v, want %v", d, patience)
		}
		if err := <-told; err != ErrSlow {
			t.Errorf("told %v", err)
		}
		begin = time.Now()
		if err := f.Close(); err != ErrSlow {
			t.Errorf("Close gives %v", err)
		}
		if d := time.Since(begin); d > 2*patience {
			t.Errorf("Close waited %v", d)
		}
		close(s.letGo)
		<-f.done
		if len(told) != 0 {
			t.Error("told again")
		}
	})
}

// slow is a file that takes its time, but gets on.
type slow struct {
	took int
	io.WriteCloser
}

func (s *slow) Write(p []byte) (int, error) {
	s.took++
	<-time.After(patience / 2)
	return s.WriteCloser.Write(p)
}

// throughSlowDisk captures that many FPDUs, none of which is lost.
func throughSlowDisk(t *testing.T, fpdus int) *slow {
	t.Helper()
	s := new(slow)
	f, dir := start(t, Config{create: func(name string) (io.WriteCloser, error) {
		file, err := create(name)
		s.WriteCloser = file
		return s, err
	}})
	fl := f.Flow(tcp(here4), tcp(there4), true)
	r := rng()
	feed(fl, request(false), reply())
	for range fpdus {
		feed(fl, fpdu(r, 60000), fpdu(r, 1))
	}
	fl.Close()
	must(t, f.Close())
	c := only(t, capturetest.ReadFile(t, capturetest.Files(t, dir)[0]))
	if frame, _, _, err := startFrame(c.Streams[here4]); err != nil || whole(t, c.Streams[here4], frame) != fpdus {
		t.Errorf("%v, or not all FPDUs", err)
	}
	return s
}

// TestCloseWaitsForSlowDisk: as long as it gets on, nothing is lost.
func TestCloseWaitsForSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if s := throughSlowDisk(t, 50); s.took < 5 {
			t.Errorf("%d writes: the disk was not slow", s.took)
		}
	})
}

// TestStreamsWaitForSlowDisk: as long as it gets on, they do, also if what waits for it takes it longer than patience.
func TestStreamsWaitForSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { throughSlowDisk(t, 200) })
}

// TestReadableWhileOpen: recorded data is soon in the file, which ends with a whole
// packet.
func TestReadableWhileOpen(t *testing.T) {
	wrote := make(chan int, 1000)
	f, dir := start(t, Config{create: func(name string) (io.WriteCloser, error) {
		file, err := create(name)
		return &reporting{file, wrote}, err
	}})
	fl := f.Flow(tcp(here4), tcp(there4), true)
	feed(fl, request(false), reply())
	f.mu.Lock()
	want := int(f.size)
	f.mu.Unlock()
	for got := 0; got < want; {
		got += <-wrote
	}
	name := capturetest.Files(t, dir)[0]
	if !strings.HasPrefix(filepath.Base(name), "x-") {
		t.Error(name)
	}
	if n := len(capturetest.ReadFile(t, name)); n != 5 {
		t.Errorf("%d packets", n)
	}
	fl.Close()
	must(t, f.Close())
}

type reporting struct {
	io.WriteCloser
	wrote chan int
}

func (r *reporting) Write(p []byte) (int, error) {
	n, err := r.WriteCloser.Write(p)
	r.wrote <- n
	return n, err
}
