package rdma_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The rows of an ordinary run. They cover all paths, faces and ends, and take a second or two.
const (
	faceFirst = 16459
	faceRows  = 30
)

// faceFailures ends a run: a row that hangs takes patience, and those behind it tell little more.
const faceFailures = 3

// TestFaces crosses the paths, the ways to read completions (the faces of a dispatcher and of a set), the
// shapes of queues and the ways to end a connection. Each of them has tests of its own; the errors that are left
// are in the gaps between two of them, for example a wake-up that is lost while the program goes over from one
// face to another. The rows are drawn, as there are far too many to list.
//
// In each row every message arrives once and whole, unless an abrupt end cuts it off. Every posted receive completes
// once and in its connection's order, every connection reports its end on both sides, nothing waits longer than
// patience, and no goroutine is left.
//
// Without GODAPL_FACES it runs a fixed set of rows, even if GODAPL_SEED is set: then a failure is due to the change
// under test.
//
//	GODAPL_FACES=20s       rows for this long, which follow from GODAPL_SEED
//	GODAPL_SEED=17         the first row; if it is not set, the time of day chooses it
//	GODAPL_FACES_ROW=17    this row alone, again and again as long as GODAPL_FACES says, or once
func TestFaces(t *testing.T) {
	for _, name := range paths {
		if !soft(name) {
			t.Skipf("written for the software adapter: messages wait for receives for a minute, which %s may not do", name)
		}
	}
	goOn, seed := facePlan(t)
	ignore := goleak.IgnoreCurrent()
	n, bad := 0, 0
	for ; goOn(n) && bad < faceFailures; n++ {
		row := drawFaceRow(seed(n))
		ok := t.Run(strconv.FormatUint(row.seed, 10), func(t *testing.T) {
			if row.path == "soft-shm" && runtime.GOOS != "linux" {
				t.Skip("no shared memory path here")
			}
			runFaceRow(t, row)
			if err := goleak.Find(ignore, goleak.IgnoreTopFunction("testing.(*T).Run")); err != nil && !t.Failed() {
				t.Error(err)
			}
			if t.Failed() {
				t.Logf("%v\nagain: GODAPL_FACES=20s GODAPL_FACES_ROW=%d go test ./rdma -run '^TestFaces$'", row, row.seed)
			}
		})
		if !ok {
			bad++
		}
	}
	t.Logf("rows: %d, failed: %d", n, bad)
}

// facePlan says whether to run the row with the number n, and its seed.
func facePlan(t *testing.T) (goOn func(n int) bool, seed func(n int) uint64) {
	number := func(name string) (n uint64, set bool) {
		text := os.Getenv(name)
		if text == "" {
			return 0, false
		}
		n, err := strconv.ParseUint(text, 10, 64)
		must(t, err)
		return n, true
	}
	first, rows := uint64(faceFirst), faceRows
	goOn = func(n int) bool { return n < rows }
	if text := os.Getenv("GODAPL_FACES"); text != "" {
		d, err := time.ParseDuration(text)
		must(t, err)
		until := time.Now().Add(d)
		goOn = func(int) bool { return time.Now().Before(until) }
		s, set := number("GODAPL_SEED")
		if !set {
			s = uint64(time.Now().UnixNano()) % 1e9 * 1000
		}
		first = s
	}
	if s, set := number("GODAPL_FACES_ROW"); set {
		rows = 1
		return goOn, func(int) uint64 { return s }
	}
	t.Logf("GODAPL_SEED=%d", first)
	return goOn, func(n int) uint64 { return first + uint64(n) }
}

func runFaceRow(t *testing.T, row faceRow) {
	h := newFaceRun(t, row)
	defer h.cancel()
	h.startSenders()
	h.startReplies()
	stop := h.startConsumers()
	defer stop()
	if h.srq != nil {
		h.startMark()
	}
	if h.finished() {
		h.checkEnd()
	}
	h.cancel()
	h.close()
}
