package rdmatest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// programMail is a mailbox with one sender, in a program. A value begins with its number, and the rest of it follows
// from the number.
type programMail struct {
	p         *program
	name      string
	from, to  *programHost
	box       *mailbox.Mailbox[[]byte, uint64]
	sender    *mailbox.Sender[[]byte, uint64]
	mu        sync.Mutex
	delivered []uint64 // the sender knows that they arrived
	refused   []uint64 // ... and that these did not
	arrived   []uint64
}

// mailSlot is the size of a slot: longer values are read from the sender.
const mailSlot = 256

var mailCodec = &mailbox.Codec[[]byte]{
	Name:   "bytes",
	Append: func(b, v []byte) ([]byte, error) { return append(b, v...), nil },
	Decode: func(b []byte) ([]byte, error) { return slices.Clone(b), nil },
}

func mailValue(number uint64, n int) []byte {
	v := binary.LittleEndian.AppendUint64(nil, number)
	for i := range n {
		v = append(v, pattern(i+int(number)))
	}
	return v
}

// open makes the mailbox and its sender.
func (m *programMail) open(draw *rand.Rand) (err error) {
	ctx := m.p.w.Context()
	m.box, err = mailbox.Listen(ctx, m.to.zone.Adapter(), m.to.h.Name()+":0", mailbox.Config[[]byte, uint64]{
		Depth: 1 + draw.IntN(4), Window: 1 + draw.IntN(4), Asks: 1 + draw.IntN(3), Slot: mailSlot, Values: mailCodec})
	if err != nil {
		return err
	}
	m.sender, err = mailbox.Dial(ctx, m.from.zone.Adapter(), m.box.Addr().String(), mailbox.DialConfig[[]byte, uint64]{Values: mailCodec})
	return err
}

// mostSenders is how many goroutines share a sender, at most. The values of each are numbered by themselves.
const mostSenders = 8

func sending(number uint64) uint64 { return number % mostSenders }

// send sends values, and asks, on one goroutine or several.
func (m *programMail) send(draw *rand.Rand, most int) {
	var all sync.WaitGroup
	for g := range uint64(1 + draw.IntN(2)*draw.IntN(mostSenders)) {
		draw := m.p.w.Rand(fmt.Sprint(m.name, " sends ", g))
		all.Go(func() { m.sendSome(draw, most, g) })
	}
	all.Wait()
	if err := m.sender.Close(); err != nil {
		m.failf("close the sender: %v", err)
	}
}

func (m *programMail) sendSome(draw *rand.Rand, most int, g uint64) {
	ctx := m.p.w.Context()
	for i := range uint64(min(2+draw.IntN(8), most)) {
		i = i*mostSenders + g
		n := draw.IntN(mailSlot - 8)
		if draw.IntN(3) == 0 {
			n = draw.IntN(12 * mailSlot)
		}
		err := m.one(ctx, draw, i, mailValue(i, n))
		m.mu.Lock()
		switch {
		case err == nil, errors.Is(err, mailbox.ErrDeclined):
			m.delivered = append(m.delivered, i)
		case errors.Is(err, mailbox.ErrNotDelivered):
			m.refused = append(m.refused, i)
		case !errors.Is(err, mailbox.ErrUnknown):
			m.failf("a value failed with %v", err)
		}
		m.mu.Unlock()
		if err != nil && m.p.fault.harmless {
			m.failf("%v, with %s", err, m.p.fault.name)
		}
	}
}

func (m *programMail) one(ctx context.Context, draw *rand.Rand, number uint64, v []byte) error {
	if draw.IntN(3) > 0 {
		return m.sender.Send(ctx, v)
	}
	answer, err := m.sender.Ask(ctx, v)
	if err == nil && answer != ^number {
		m.failf("value %d was answered with %#x", number, answer)
	}
	return err
}

// receive takes the values until the mailbox is closed, and answers.
func (m *programMail) receive(draw *rand.Rand) {
	for {
		v, err := m.box.Receive(m.p.w.Context())
		if err != nil {
			if !errors.Is(err, rdma.ErrClosed) {
				m.failf("receive: %v", err)
			}
			return
		}
		if len(v.Value) < 8 {
			m.failf("a value of %d bytes", len(v.Value))
			return
		}
		number := binary.LittleEndian.Uint64(v.Value)
		if !slices.Equal(v.Value, mailValue(number, len(v.Value)-8)) {
			m.failf("value %d came with other bytes", number)
		}
		m.arrived = append(m.arrived, number)
		if draw.IntN(4) == 0 {
			<-time.After(time.Duration(draw.IntN(100)) * time.Millisecond)
		}
		if v.Asked() {
			if err := v.Reply(^number); err != nil && m.p.fault.harmless {
				m.failf("reply: %v", err)
			}
		}
	}
}

// run does all of it.
func (m *programMail) run(draw *rand.Rand, most int) {
	if m.sender == nil {
		if err := m.open(draw); err != nil {
			if m.box != nil {
				_ = m.box.Close()
			}
			return
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.receive(m.p.w.Rand(m.name + " takes"))
	}()
	m.send(draw, most)
	if err := m.box.Close(); err != nil {
		m.failf("close: %v", err)
	}
	<-done
	m.look()
}

// look compares what was sent with what arrived: each at most once, those of a goroutine in order, and what the sender knows
// is so.
func (m *programMail) look() {
	latest := map[uint64]uint64{}
	for _, n := range m.arrived {
		if before, ok := latest[sending(n)]; ok && n <= before {
			m.failf("the values came in the order %v", m.arrived)
		}
		latest[sending(n)] = n
	}
	for _, n := range m.delivered {
		if !slices.Contains(m.arrived, n) && !m.p.killed() {
			m.failf("value %d was delivered, and is not among %v", n, m.arrived)
		}
	}
	for _, n := range m.refused {
		if slices.Contains(m.arrived, n) {
			m.failf("value %d was not delivered, and arrived", n)
		}
	}
}

func (m *programMail) failf(format string, args ...any) {
	m.p.t.Errorf("%s from %s to %s: %s", m.name, m.from.h.Name(), m.to.h.Name(), fmt.Sprintf(format, args...))
}
