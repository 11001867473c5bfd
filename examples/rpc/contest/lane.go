package contest

import (
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// Lane makes calls of which one is under way at a time. It numbers the requests, checks the answers
// and notes how long each call took. It must not be used concurrently.
type Lane struct {
	until  time.Time // no call begins later
	calls  int       // or behind so many, if not 0
	number uint64
	began  time.Time
	took   []time.Duration
}

// Next writes the next request. It is false if there is none.
func (l *Lane) Next(request []byte) bool {
	if l.calls != 0 && len(l.took) == l.calls {
		return false
	}
	now := time.Now()
	if l.calls == 0 && now.After(l.until) {
		return false
	}
	l.number++
	l.began = now
	binary.LittleEndian.PutUint64(request, l.number)
	binary.LittleEndian.PutUint64(request[len(request)-8:], l.number)
	return true
}

// Check takes the answer to the latest request.
func (l *Lane) Check(answer []byte) error {
	l.took = append(l.took, time.Since(l.began))
	first, last := binary.LittleEndian.Uint64(answer), binary.LittleEndian.Uint64(answer[len(answer)-8:])
	if first != l.number+1 || last != l.number+2 {
		return fmt.Errorf("the answer to request %#x begins with %#x and ends with %#x", l.number, first, last)
	}
	return nil
}

// Answer is the service: it changes a request of 16 bytes or more into its answer.
func Answer(b []byte) {
	end := b[len(b)-8:]
	binary.LittleEndian.PutUint64(end, binary.LittleEndian.Uint64(end)+2)
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+1)
}

// Each runs f for each lane, in a goroutine of its own if there are several.
func Each(lanes []*Lane, f func(*Lane) error) error {
	if len(lanes) == 1 {
		return f(lanes[0])
	}
	var all errgroup.Group
	for _, l := range lanes {
		all.Go(func() error { return f(l) })
	}
	return all.Wait()
}
