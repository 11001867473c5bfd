package mailbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"

	"github.com/godapl/godapl/rdma/mailbox"
)

// life is one goroutine that sends over one connection.
type life struct{ client, session, stream uint32 }

// ticket is a value of the driver.
type ticket struct {
	life
	seq    uint64
	length int  // further bytes
	bad    bool // does not decode
}

// ticketBad is where bad is in a ticket.
var ticketBad = func() int {
	f, _ := reflect.TypeFor[ticket]().FieldByName("bad")
	return int(f.Offset)
}()

func tickets() *mailbox.Codec[ticket] {
	return &mailbox.Codec[ticket]{
		Name: "ticket",
		Append: func(b []byte, v ticket) ([]byte, error) {
			for _, n := range []uint32{v.client, v.session, v.stream} {
				b = binary.BigEndian.AppendUint32(b, n)
			}
			b = binary.BigEndian.AppendUint64(b, v.seq)
			b = append(b, make([]byte, v.length)...)
			if v.bad {
				b = b[:10]
			}
			return b, nil
		},
		Decode: func(b []byte) (v ticket, err error) {
			if len(b) < 20 {
				return v, errors.New("a bad ticket")
			}
			word := binary.BigEndian.Uint32
			return ticket{life: life{word(b), word(b[4:]), word(b[8:])}, seq: binary.BigEndian.Uint64(b[12:])}, nil
		},
	}
}

// told is what the calls have said about a value.
type told uint8

const (
	left      told = iota // it was copied, with Async or TrySend
	delivered             // certainly
	not                   // certainly
	unknown
)

// record is what became of the values of a life.
type record struct {
	life
	told []told
	bad  []bool
	lost *mailbox.Lost

	failures int // of the latest calls

	report func(seq uint64, is told, bad bool) // behind each call; nil: not needed

	next uint64   // what the mailbox got, guarded by drive.mu
	got  []uint64 // likewise
}

// stream sends values in every way, until the connection has ended.
func (x *record) stream(d *drive, s *mailbox.Sender[ticket, uint64], r *rand.Rand, ops int, async bool) {
	kill := -1
	if r.IntN(3) == 0 {
		kill = r.IntN(min(ops, 3000))
	}
	for i := range ops {
		if i == kill {
			s.Abort()
		}
		if x.failures > 10 || s.Context().Err() != nil || d.sent.Load() > d.want {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(30) == 0 {
			after := r.IntN(40)
			go func() {
				for range after {
					mailbox.Yield()
				}
				cancel()
			}()
		}
		v := ticket{life: x.life, seq: uint64(len(x.told)), bad: r.IntN(50) == 0}
		bad := v.bad
		if bad && d.codec == nil {
			mailbox.Spoil(&v, ticketBad, 2)
		}
		if r.IntN(40) == 0 {
			v.length = r.IntN(15_000)
		}
		switch n := r.IntN(20); {
		case n < 3:
			x.note(d, &v, bad, s.TrySend(v), left)
		case n < 6:
			x.ask(d, &v, bad, func() (uint64, error) { return s.Ask(ctx, v) })
		case n < 9:
			p, err := s.Go(ctx, v)
			wait := func() (uint64, error) { return p.Wait(ctx) }
			if err != nil {
				wait = func() (uint64, error) { return 0, err }
			}
			x.ask(d, &v, bad, wait)
		case n < 10:
			x.flush(d, s.Flush(ctx))
		case async:
			x.note(d, &v, bad, s.Send(ctx, v), left)
		default:
			x.note(d, &v, bad, s.Send(ctx, v), delivered)
		}
		cancel()
	}
}

// ask records what an ask has said.
func (x *record) ask(d *drive, v *ticket, bad bool, wait func() (uint64, error)) {
	answer, err := wait()
	if err == nil && answer != v.seq {
		d.t.Errorf("%v: the answer to %d is %d", x.life, v.seq, answer)
	}
	x.note(d, v, bad, err, delivered)
}

// note records what a call has said: well, or one of the errors.
func (x *record) note(d *drive, v *ticket, bad bool, err error, well told) {
	is := well
	switch {
	case err == nil && bad && well == delivered:
		d.t.Errorf("%v: bad value %d was taken", x.life, v.seq)
	case err == nil, errors.Is(err, mailbox.ErrDeclined):
	case classes(err) != 1:
		d.t.Errorf("%v: value %d: %v", x.life, v.seq, err)
	case errors.Is(err, mailbox.ErrNotDelivered):
		is = not
	default:
		is = unknown
	}
	if x.failures++; is != not {
		x.failures = 0
		d.sent.Add(1)
	}
	x.told, x.bad = append(x.told, is), append(x.bad, bad)
	if x.report != nil {
		x.report(v.seq, is, bad)
	}
}

// flush records what a Flush has said: about all values before it.
func (x *record) flush(d *drive, err error) {
	if refused := new(mailbox.Refused); err != nil && !errors.As(err, &refused) {
		return
	}
	for i := range x.told {
		if x.told[i] == left {
			x.told[i] = delivered
			if x.bad[i] {
				x.told[i] = not
			}
		}
	}
}

// compare checks what the mailbox got against what was said.
func (d *drive) compare() {
	type connection struct{ client, session uint32 }
	counts := map[connection]uint64{}
	causes := map[connection]*mailbox.Lost{}
	var all, got [4]int
	for _, x := range d.lives {
		had := make([]bool, len(x.told))
		for _, seq := range x.got {
			had[seq] = true
		}
		for seq, is := range x.told {
			all[is]++
			if had[seq] {
				got[is]++
			}
			if had[seq] && (is == not || x.bad[seq]) || !had[seq] && is == delivered {
				d.t.Errorf("%v: value %d (bad: %t): in the mailbox: %t, but told %d", x.life, seq, x.bad[seq], had[seq], is)
			}
		}
		c := connection{x.client, x.session}
		counts[c] += uint64(len(x.got))
		causes[c] = x.lost
	}
	for c, lost := range causes {
		if n := counts[c]; lost == nil || n < lost.Delivered || n > lost.Delivered+lost.Unknown {
			d.t.Errorf("%v: %d values in the mailbox, %v", c, n, lost)
		}
	}
	d.t.Logf("%d connections; told delivered %d (got %d), not %d (%d), unknown %d (%d), left %d (%d)", len(causes),
		all[delivered], got[delivered], all[not], got[not], all[unknown], got[unknown], all[left], got[left])
	if all[delivered] == 0 || all[not] == 0 || got[left] == 0 {
		d.t.Error("the run was too tame")
	}
}
