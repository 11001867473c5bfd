package stock

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// drawnVariable is how many lines of each kind are drawn for each path.
const drawnVariable = "GODAPL_STOCK_LINES"

// TestDrawn runs random command lines: every option that the programs accept, in any
// combination. GODAPL_SEED, which is printed, determines them.
func TestDrawn(t *testing.T) {
	h := newHost(t)
	n, err := strconv.Atoi(os.Getenv(drawnVariable))
	if err != nil {
		n = 4
	}
	t.Logf("%s=%d", drawnVariable, n)
	d := draw{rand.New(rand.NewPCG(seed(t), 7))}
	for _, p := range allPaths() {
		t.Run(p.device, func(t *testing.T) {
			t.Run("T", func(t *testing.T) { h.serve(t, p, "T", lines(n, d.transaction), transactEnd) })
			t.Run("P", func(t *testing.T) { h.serve(t, p, "P", lines(n, d.performance), performEnd, throughput, rawNumbers) })
			for range n {
				line, end := d.pair()
				h.pair(t, p, line, end)
			}
		})
	}
}

// seed is the seed of the random choices. It is printed, and GODAPL_SEED sets it.
func seed(t *testing.T) uint64 {
	n, err := strconv.ParseUint(os.Getenv("GODAPL_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("GODAPL_SEED=%d", n)
	return n
}

func lines(n int, draw func() string) []string {
	l := make([]string, n)
	for i := range l {
		l[i] = draw()
	}
	return l
}

type draw struct{ *rand.Rand }

// size draws small and large sizes alike, and those close to a power of two.
func (d draw) size(most int) int {
	n := 1 << d.IntN(18)
	switch d.IntN(3) {
	case 0:
		n += d.IntN(3) - 1
	case 1:
		n += d.IntN(n)
	}
	return max(1, min(n, most))
}

func (d draw) one(of ...string) string { return of[d.IntN(len(of))] }

// transaction draws a line of dapltest -T T. The program requires a message in each
// direction; with -V it places segments at multiples of 256 bytes, and writes and reads
// are in one piece.
func (d draw) transaction() string {
	threads, endpoints := 1+d.IntN(4), 1+d.IntN(4)
	flags := []string{fmt.Sprintf("-t %d -w %d", threads, endpoints)}
	check := d.IntN(2) == 0
	if check {
		flags = append(flags, "-V")
	}
	for _, f := range []string{"-P", "-r", "-R BE"} { // for the others see TestRefusedQualities
		if d.IntN(2) == 0 {
			flags = append(flags, f)
		}
	}
	ops := []string{d.message("client"), d.message("server")}
	for range d.IntN(5) {
		who := d.one("client", "server")
		if d.IntN(2) == 0 {
			ops = append(ops, d.message(who))
			continue
		}
		size, segments := d.size(100_000), 1+d.IntN(8)
		if check && segments > 1 {
			size = (size + 255) &^ 255
		}
		ops = append(ops, fmt.Sprintf("%s %s %d %d", who, d.one("RR", "RW"), size, segments))
	}
	d.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	if d.IntN(3) == 0 { // sends taken when the answer comes: of a pair at the end
		ops = append(ops, d.message("client")+" -f", d.message("server")+" -f")
	}
	rounds := max(2, 3000/(threads*endpoints*len(ops)))
	return fmt.Sprintf("-i %d %s %s", 1+d.IntN(rounds), strings.Join(flags, " "), strings.Join(ops, " "))
}

func (d draw) message(who string) string {
	return fmt.Sprintf("%s SR %d %d", who, d.size(70_000), 1+d.IntN(8))
}

// performance draws a line of dapltest -T P.
func (d draw) performance() string {
	return fmt.Sprintf("-i %d -p %d -m %s %s %d %d", 1000+d.IntN(4000), 1+d.IntN(64), d.one("b", "p"), d.one("RW", "RR"), d.size(100_000), 1+d.IntN(4))
}

// pair draws a line of the programs that are their own server. A message of dtestsrq has
// 16 bytes of its own, and dtestcm counts its connections in bursts.
func (d draw) pair() (line, end string) {
	switch d.IntN(8) {
	case 0, 1:
		burst := 1 + d.IntN(40)
		return fmt.Sprintf("dtestcm -b %d -c %d%s", burst, burst*(1+d.IntN(8)), d.one("", " -w", " -m", " -w -m")), connectEnd
	case 2, 3:
		return fmt.Sprintf("dtestsrq -c %d -B %d -b %d", 1+d.IntN(40), 1+d.IntN(40), max(16, d.size(70_000))), sharedEnd
	case 4:
		return fmt.Sprintf("dtestx -b %d", max(16, d.size(70_000))), extensionEnd
	}
	return fmt.Sprintf("dtest -b %d -B %d -S %d%s", d.size(70_000), 1+d.IntN(200), 1+d.IntN(20), d.one("", " -c", " -u", " -w", " -W", " -D", " -u -c")), dtestEnd
}
