package integration_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/godapl/godapl/rdma"
)

// The layout of the memory that a plan uses. Every operation has a place of its own until it
// is complete.
const (
	driveDepth  = 24        // requests that an endpoint may have outstanding
	smallPlaces = 48        // places of a lane, used in turn
	smallSize   = 2 << 10   // bytes of such a place
	largeSize   = 192 << 10 // bytes of the one large place of a lane
	recvPlaces  = 24        // places for messages
	recvSize    = 32 << 10  // bytes of such a place: the largest message
	mostLanes   = 3         // goroutines that post, per side
	callPlaces  = 24        // places of the waiting calls of a round
	constSize   = largeSize // bytes that the peer reads; they never change
	headSize    = 20        // bytes in front of each message
	callLane    = 0xff      // the lane number in messages of waiting calls
	lanePlaces  = smallPlaces*smallSize + largeSize
)

// A plan lists everything that one run of the driver does. It is drawn from a seed before the
// run. Only the scheduling of the goroutines is not part of it.
type plan struct {
	path   string
	seed   uint64
	number int
	// queues is what shares a completion queue: 0: nothing; 1: the two directions of an
	// endpoint; 2: all endpoints of an adapter.
	queues int
	shared [2]bool // the adapter's receives come from a shared receive queue
	links  []linkPlan
	takers uint64 // the seed for how completions are taken
}

type linkPlan struct {
	rounds  []roundPlan // connections of the same two endpoints, one after the other
	byCalls [2]bool     // messages are received by waiting calls
	foreign [2]bool     // memory is slices of the program instead of the library's
}

type roundPlan struct {
	lanes     [2][]lanePlan
	calls     [2]int // waiting calls
	preposted [2]int // receives that are posted before the connection
	late      int    // posts after the end
	end       int    // index of driveEnds
	endSide   int
	endAfter  int // operations of the link before the end
}

type lanePlan struct {
	batch int // operations per doorbell; 0: one post each
	ops   []opPlan
}

type opPlan struct {
	kind   driveKind
	size   int
	off    int // where in the peer's constant memory
	pieces int
	flags  rdma.Flags
}

type driveKind uint8

const (
	driveSend driveKind = iota
	driveWrite
	driveWriteImm
	driveRead
	driveReadWindow
	driveAdd
	driveSwap
	driveBind
	driveLargeSend
	driveLargeWrite
	driveLargeRead
	driveKinds
)

var driveKindNames = [driveKinds]string{
	"send", "write", "write with immediate", "read", "read through a window", "fetch and add", "compare and swap",
	"bind", "large send", "large write", "large read",
}

func (k driveKind) String() string { return driveKindNames[k] }

func (k driveKind) message() bool {
	return k == driveSend || k == driveLargeSend || k == driveWriteImm
}

// drawPlan draws plan number n of a path. It depends only on the seed.
func drawPlan(path string, seed uint64, n int) *plan {
	h := fnv.New64a()
	fmt.Fprint(h, path, n)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	p := &plan{path: path, seed: seed, number: n, queues: r.IntN(3), takers: r.Uint64()}
	p.shared = [2]bool{r.IntN(4) == 0, r.IntN(4) == 0}
	for range 1 + r.IntN(3) {
		l := linkPlan{}
		for s := range 2 {
			l.byCalls[s] = !p.shared[s] && r.IntN(5) == 0
			l.foreign[s] = r.IntN(3) == 0
		}
		rounds := 1 + r.IntN(3)
		for i := range rounds {
			l.rounds = append(l.rounds, drawRound(r, p, &l, i == rounds-1))
		}
		p.links = append(p.links, l)
	}
	return p
}

func drawRound(r *rand.Rand, p *plan, l *linkPlan, last bool) roundPlan {
	round := roundPlan{late: r.IntN(4), endSide: r.IntN(2)}
	total := 0
	for s := range 2 {
		for range 1 + r.IntN(mostLanes) {
			lane := drawLane(r)
			total += len(lane.ops)
			round.lanes[s] = append(round.lanes[s], lane)
		}
		if r.IntN(3) == 0 {
			round.calls[s] = 1 + r.IntN(callPlaces)
		}
		round.preposted[s] = r.IntN(recvPlaces)
	}
	for {
		round.end = r.IntN(len(driveEnds))
		e := &driveEnds[round.end]
		if (last || !e.destroys) && !(e.receives && p.shared[round.endSide]) {
			break
		}
	}
	round.endAfter = r.IntN(total)
	return round
}

func drawLane(r *rand.Rand) lanePlan {
	l := lanePlan{}
	if r.IntN(3) == 0 {
		l.batch = 1 + r.IntN(12)
	}
	few := r.IntN(2) == 0 // large operations
	for i := range 10 + r.IntN(120) {
		op := opPlan{kind: driveKind(r.IntN(int(driveLargeSend))), pieces: 1 + r.IntN(3)}
		if !few && r.IntN(12) == 0 || r.IntN(60) == 0 {
			op.kind = driveLargeSend + driveKind(r.IntN(3))
		}
		if op.kind == driveBind && l.batch > 0 { // a batch has no bind
			op.kind = driveRead
		}
		switch op.kind {
		case driveLargeSend:
			op.size = smallSize + r.IntN(recvSize-smallSize)
		case driveLargeWrite, driveLargeRead:
			op.size = smallSize + r.IntN(largeSize-smallSize)
		case driveSend:
			op.size = headSize + r.IntN(smallSize-headSize)
			if r.IntN(2) == 0 {
				op.size = headSize + r.IntN(64)
			}
		case driveAdd, driveSwap:
			op.size, op.pieces = 8, 1
		case driveBind:
			op.size = r.IntN(2) * smallSize
		default:
			op.size = r.IntN(smallSize)
		}
		if op.kind == driveRead || op.kind == driveLargeRead || op.kind == driveReadWindow {
			op.off = r.IntN(constSize - op.size + 1)
			op.pieces = 1
		}
		if i%8 != 0 && op.kind < driveLargeSend && r.IntN(3) == 0 {
			op.flags |= rdma.NoCompletion
		}
		if r.IntN(3) == 0 {
			op.flags |= rdma.NoWake
		}
		if r.IntN(8) == 0 {
			op.flags |= rdma.Fence
		}
		l.ops = append(l.ops, op)
	}
	return l
}

// String lists the plan, to explain a failed run.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %d of seed %d on %s: queues %s, shared receives %v, %d connections at a time\n", p.number, p.seed, p.path,
		[]string{"apart", "one an endpoint", "one an adapter"}[p.queues], p.shared, len(p.links))
	for i := range p.links {
		l := &p.links[i]
		fmt.Fprintf(&b, "link %d: receives by calls %v, memory of the program %v\n", i, l.byCalls, l.foreign)
		for j := range l.rounds {
			round := &l.rounds[j]
			fmt.Fprintf(&b, " round %d: %q on side %d after %d operations; receives before %v, calls %v, late posts %d\n", j,
				driveEnds[round.end].name, round.endSide, round.endAfter, round.preposted, round.calls, round.late)
			for s := range 2 {
				for k, lane := range round.lanes[s] {
					fmt.Fprintf(&b, "  side %d lane %d, batches of %d:", s, k, lane.batch)
					for _, op := range lane.ops {
						fmt.Fprintf(&b, " %v %d", op.kind, op.size)
						if op.flags != 0 {
							fmt.Fprintf(&b, " %v", op.flags)
						}
						b.WriteByte(',')
					}
					b.WriteByte('\n')
				}
			}
		}
	}
	return b.String()
}
