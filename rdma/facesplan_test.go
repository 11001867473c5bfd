package rdma_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// faceRow is what one seed stands for. Messages go from x to y; what is tested is how y reads.
type faceRow struct {
	seed     uint64
	path     string
	shape    string // which queues y has, see faceShapes
	conns    int
	face     string // how y reads, see queueFaces and setFaces
	change   string // y changes the face now and then: "queue" among those of a queue, "set" to those of a set and back
	end      string // see faceEnds
	size     int    // of a message, in bytes
	writes   bool   // some messages are writes with immediate data
	messages int    // of each connection
	depth    int    // receives of y that are posted at a time
	inset    bool   // the queues are members of a set that has no waiter, or the set has more members
	same     bool   // x and y have one adapter
}

func (c faceRow) String() string {
	return fmt.Sprintf("row %d: path=%s shape=%s conns=%d face=%s change=%s end=%s size=%d writes=%v messages=%d depth=%d inset=%v same=%v",
		c.seed, c.path, c.shape, c.conns, c.face, c.change, c.end, c.size, c.writes, c.messages, c.depth, c.inset, c.same)
}

// What a row is drawn from. Something twice in a list comes twice as often. A change here changes what all seeds
// stand for.
var (
	facePaths = []string{"soft-tcp", "soft-shm", "soft-loop"}

	// faceEnds: x ends with Shutdown or BeginShutdown behind its last message, or somewhere with Abort; the peer's
	// adapter (of x) is closed; y ends on its own; each connection has another end; the adapter of y is closed.
	faceEnds = []string{"shutdown", "begin", "begin", "abort", "peer", "own", "mixed", "adapter"}

	queueFaces = []string{
		"poll", "wait", "waitburst", "batch", "batchburst", "waittimeout", "cancel", "c", "batches", "restart", "drain",
	}
	setFaces = []string{"setwait", "setc", "settimeout"}

	// faceShapes are kinds of queues, with a number of connections. "own": each connection has its own queues. "ping":
	// besides, x waits for the answer to each message. "ownsend": y answers, and x does not wait. "shared": one
	// completion queue for the receives of all connections; "srq": with a shared receive queue, too; "both": also for
	// the sends of y, which answers; "sink": the completion queue delivers into a dispatcher of the program.
	faceShapes = []string{
		"own1", "own1", "ping1", "ping2", "ping5", "own2", "own9", "own20",
		"shared1", "shared2", "shared4", "shared5", "shared20", "srq1", "srq4", "srq6",
		"both1", "both1", "both5", "sink1", "sink4", "ownsend1",
	}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// drawFaceRow keeps the order of its draws, so that a seed that once failed stands for the same row later.
func drawFaceRow(seed uint64) faceRow {
	r := rand.New(rand.NewPCG(seed, 1))
	c := faceRow{seed: seed, path: pick(r, facePaths), end: pick(r, faceEnds)}
	shape := pick(r, faceShapes)
	c.shape = strings.TrimRight(shape, "0123456789")
	c.conns, _ = strconv.Atoi(shape[len(c.shape):])
	switch k := r.IntN(10); {
	case k < 3:
		c.face = pick(r, setFaces)
	case k == 3 && c.shape == "own":
		c.face = "recv" // Conn.Receive
	default:
		c.face = pick(r, queueFaces)
	}
	if c.face != "recv" && r.IntN(3) == 0 {
		c.change = "queue"
		if c.readsSet() || r.IntN(3) == 0 && !strings.HasPrefix(c.shape, "own") {
			c.change = "set"
		}
	}
	c.size = pick(r, []int{64, 64, 64, 64 << 10, 1 << 20})
	if c.conns > 5 && c.size > 64<<10 {
		c.size = 64
	}
	c.writes = r.IntN(3) == 0
	switch c.size {
	case 64:
		c.messages = 10 + r.IntN(300)/c.conns
	case 64 << 10:
		c.messages = 8 + r.IntN(60)/c.conns
	default:
		c.messages = 4 + r.IntN(8)
	}
	c.depth = 1 + r.IntN(8)
	c.inset = r.IntN(3) == 0
	c.same = r.IntN(5) == 0 && c.end != "peer" && c.end != "adapter"
	return c
}

func (c faceRow) readsSet() bool { return strings.HasPrefix(c.face, "set") }

// answers is whether y answers each message with an empty one.
func (c faceRow) answers() bool {
	return c.shape == "both" || c.answersApart() || c.face == "recv"
}

// answersApart is whether the answers of y complete in queues of their own.
func (c faceRow) answersApart() bool { return c.shape == "ownsend" || c.shape == "ping" }

// closes is whether y ends a connection with Close instead of Abort. Close also closes a queue of the connection
// alone, so the reader learns of the end from the queue. Other readers need the flushed receives to know that they
// are through.
func (c faceRow) closes() bool {
	if c.seed%2 != 0 {
		return false
	}
	if c.shape == "own" {
		return !c.readsSet() && c.change == "" && c.conns == 1
	}
	return !c.answersApart()
}
