package capture

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// writeSize is the largest write, in bytes: a slow disk completes it within patience.
const writeSize = 256 << 10

// disk is the goroutine that writes, with its private state.
type disk struct {
	f     *File
	names naming
	file  io.WriteCloser
	list  []string // existing files, oldest first
	last  int      // number of the youngest
	steps atomic.Int64
}

// run writes pending data until the capture ends.
func (d *disk) run() {
	f := d.f
	defer close(f.done)
	var data []byte
	var cuts []int
	for {
		f.mu.Lock()
		data, f.pending = f.pending, data[:0]
		cuts, f.cuts = f.cuts, cuts[:0]
		over := f.over
		f.tookPending()
		f.mu.Unlock()
		if len(data) > 0 {
			if err := d.write(data, cuts); err != nil {
				d.fail(err)
				break
			}
			continue
		}
		if over {
			break
		}
		<-f.wake
	}
	if err := d.file.Close(); err != nil {
		d.fail(err)
	}
}

func (d *disk) fail(err error) {
	d.f.mu.Lock()
	d.f.fail(err)
	d.f.mu.Unlock()
}

// write writes bytes, with a new file at each of the cuts.
func (d *disk) write(data []byte, cuts []int) error {
	done := 0
	for _, cut := range cuts {
		if err := d.writeAll(data[done:cut]); err != nil {
			return err
		}
		done = cut
		if err := d.next(); err != nil {
			return err
		}
	}
	return d.writeAll(data[done:])
}

func (d *disk) writeAll(data []byte) error {
	for len(data) > 0 {
		n := min(len(data), writeSize)
		if _, err := d.file.Write(data[:n]); err != nil {
			return err
		}
		d.steps.Add(1)
		data = data[n:]
	}
	return nil
}

// next closes the file, removes the oldest if there are enough, and creates
// another.
func (d *disk) next() error {
	if err := d.file.Close(); err != nil {
		return err
	}
	for len(d.list) >= d.f.cfg.Files {
		_ = os.Remove(d.list[0]) // it may have been removed by another program
		d.list = d.list[1:]
	}
	d.last++
	name := d.names.file(d.last, time.Now())
	file, err := d.f.cfg.create(name)
	if err != nil {
		d.file = closed{}
		return err
	}
	d.file = file
	d.list = append(d.list, name)
	return nil
}

// closed stands for a file that there is not.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }
func (closed) Close() error              { return nil }
