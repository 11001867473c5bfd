package verbs

import (
	"runtime"
	"time"
)

// lateTime bounds how long a post waits for a report of the device. It is the time in which a busy machine gives a thread
// of the kernel its processor back; the software adapter waits as long for a goroutine.
const lateTime = 100 * time.Millisecond

// makeRoom takes the completions of a queue that is full. If there is no room then because reports are late, it looks for
// them until they come. Called without mu.
func (q *qp) makeRoom() {
	q.scq.drive()
	var begin time.Time
	for i := 1; ; i++ {
		oldest, late := q.late()
		if !late {
			return
		}
		if i%64 == 0 {
			if begin.IsZero() {
				begin = time.Now()
			} else if time.Since(begin) > lateTime {
				q.mu.Lock()
				q.send.overdue = oldest
				q.mu.Unlock()
				return
			}
		}
		runtime.Gosched()
		q.scq.drive()
	}
}

// late reports that the queue is full although the peer has probably answered the oldest request. Only rxe reports requests
// so late: it handles acknowledgements on another thread of the kernel than messages, and on a busy machine many messages
// pass before. A server with one request in flight would find its queue full without having done anything wrong. oldest is
// one more than the number of that request.
func (q *qp) late() (oldest uint64, late bool) {
	if !q.ad.rxe {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	s := &q.send
	oldest = s.done.Load() + 1
	return oldest, q.state == connected && s.outstanding() >= int(s.depth) && s.answered.Load() >= oldest && s.overdue != oldest
}
