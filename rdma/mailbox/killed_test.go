package mailbox_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestKilledSenders lets processes send and ask at random until they are killed with SIGKILL, and compares
// what the mailbox got with what their calls had said until then. GODAPL_MAILBOX=1000000 lets them make so
// many calls on each path.
func TestKilledSenders(t *testing.T) {
	if address := os.Getenv("GODAPL_KILLED_ADDRESS"); address != "" {
		killed(t, address)
		return
	}
	want, seed := number("GODAPL_MAILBOX", 1500), uint64(number("GODAPL_SEED", 1))
	for _, name := range []string{"soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			defer a.Close()
			d := &drive{t: t, a: a, codec: tickets(), seed: seed, want: want, lives: map[life]*record{}}
			d.open()
			b := d.box.Load()
			reading := make(chan struct{})
			go func() {
				defer close(reading)
				for m := range b.C() {
					d.received(m.Value)
					if m.Asked() {
						_ = m.Reply(m.Value.seq)
					}
				}
			}()
			var children sync.WaitGroup
			var killed atomic.Int64
			for client := range uint32(3) {
				children.Go(func() {
					for session := uint32(0); (session == 0 || d.sent.Load() < want) && !t.Failed(); session++ {
						if d.child(life{client: client, session: session}) {
							killed.Add(1)
						}
					}
				})
			}
			children.Wait()
			for b.Peers() > 0 { // the end of each is seen
				mailbox.Yield()
			}
			must(t, b.Close())
			<-reading
			d.compareKilled(int(killed.Load()))
		})
	}
}

// child runs a process, kills it behind one of its calls, and reports whether it was there until then.
func (d *drive) child(l life) (killed bool) {
	x := &record{life: l}
	d.mu.Lock()
	d.lives[l] = x
	d.mu.Unlock()
	r := rand.New(rand.NewPCG(d.seed, uint64(l.client)<<32|uint64(l.session)))
	calls := 1 + r.IntN(int(d.want)/6)
	child := exec.Command(os.Args[0], "-test.run=^TestKilledSenders$")
	child.Env = append(os.Environ(), "GODAPL_KILLED_ADDRESS="+d.box.Load().Addr().String(), "GODAPL_KILLED_ADAPTER="+d.a.Name(),
		fmt.Sprintf("GODAPL_KILLED_LIFE=%d %d %d", l.client, l.session, d.seed))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		d.t.Error(err)
		return false
	}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // the rest of a line is no report
		}
		var seq uint64
		var is told
		var bad bool
		if n, _ := fmt.Sscanf(line, "call %d %d %t", &seq, &is, &bad); n != 3 {
			if strings.Contains(line, "_test.go:") {
				d.t.Error(line)
			}
			continue
		}
		if seq != uint64(len(x.told)) {
			d.t.Errorf("%v: call %d behind %d", l, seq, len(x.told))
		}
		x.told, x.bad = append(x.told, is), append(x.bad, bad)
		d.sent.Add(1)
		if len(x.told) == calls {
			killed = child.Process.Kill() == nil
		}
	}
	_ = child.Wait()
	return killed
}

// killed is the child: it says what each call has said, before it makes the next.
func killed(t *testing.T, address string) {
	a, err := rdma.Open(t.Context(), os.Getenv("GODAPL_KILLED_ADAPTER"), rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	x := &record{report: func(seq uint64, is told, bad bool) { fmt.Printf("call %d %d %t\n", seq, is, bad) }}
	var seed uint64
	_, err = fmt.Sscan(os.Getenv("GODAPL_KILLED_LIFE"), &x.client, &x.session, &seed)
	must(t, err)
	r := rand.New(rand.NewPCG(seed, uint64(x.client)<<32|uint64(x.session)))
	async := r.IntN(2) == 0
	s, err := mailbox.Dial(t.Context(), a, address, mailbox.DialConfig[ticket, uint64]{Values: tickets(), Async: async, Window: 1 + r.IntN(12), Asks: 1 + r.IntN(4)})
	must(t, err)
	x.stream(&drive{t: t, codec: tickets(), want: math.MaxInt64}, s, r, math.MaxInt32, async)
	_ = s.Close()
}

// compareKilled checks what the mailbox got: the values of each process in order and once each (received
// has checked that), all that were told delivered and none that was told not, and no value of a call that
// cannot have begun. The value of the call in which a process was killed may be there or not.
func (d *drive) compareKilled(killed int) {
	var all, got [4]int
	silent := 0
	for _, x := range d.lives {
		had := map[uint64]bool{}
		for _, seq := range x.got {
			had[seq] = true
			if seq >= uint64(len(x.told)) {
				silent++
				if seq > uint64(len(x.told)) {
					d.t.Errorf("%v: value %d, where %d calls have ended", x.life, seq, len(x.told))
				}
			}
		}
		for seq, is := range x.told {
			all[is]++
			if had[uint64(seq)] {
				got[is]++
			}
			if had[uint64(seq)] && (is == not || x.bad[seq]) || !had[uint64(seq)] && is == delivered {
				d.t.Errorf("%v: value %d (bad: %t): in the mailbox: %t, but told %d", x.life, seq, x.bad[seq], had[uint64(seq)], is)
			}
		}
	}
	d.t.Logf("%d processes, %d killed; told delivered %d (got %d), not %d (%d), unknown %d (%d), left %d (%d), nothing (%d)", len(d.lives), killed,
		all[delivered], got[delivered], all[not], got[not], all[unknown], got[unknown], all[left], got[left], silent)
	if all[delivered] == 0 || got[left] == 0 || killed == 0 {
		d.t.Error("the run was too tame")
	}
}
