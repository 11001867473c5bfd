package mailbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// The codec panics at an urgent order of this number.
const panicking = 13

// picky is a codec that makes nothing of an urgent order.
func picky() *mailbox.Codec[order] {
	return &mailbox.Codec[order]{
		Name: "picky",
		Append: func(b []byte, v order) ([]byte, error) {
			switch {
			case v.Urgent && v.ID == panicking:
				panic(errPicky)
			case v.Urgent:
				return nil, errPicky
			}
			return append(binary.BigEndian.AppendUint64(b, v.ID), make([]byte, 24)...), nil
		},
		Decode: func(b []byte) (order, error) { return order{ID: binary.BigEndian.Uint64(b)}, nil },
	}
}

var errPicky = errors.New("too urgent")

// recovered makes an error of the codec's panic.
func recovered(call func(s *mailbox.Sender[order, receipt], v order) error, s *mailbox.Sender[order, receipt], v order) (err error) {
	defer func() {
		if recover() != nil {
			err = mailbox.ErrNotDelivered
		}
	}()
	return call(s, v)
}

// sending is the calls that send a value.
var sending = map[string]func(s *mailbox.Sender[order, receipt], v order) error{
	"Send":    func(s *mailbox.Sender[order, receipt], v order) error { return s.Send(context.Background(), v) },
	"TrySend": (*mailbox.Sender[order, receipt]).TrySend,
	"Ask": func(s *mailbox.Sender[order, receipt], v order) error {
		_, err := s.Ask(context.Background(), v)
		return err
	},
	"Go": func(s *mailbox.Sender[order, receipt], v order) error {
		_, err := s.Go(context.Background(), v)
		return err
	},
}

// TestValuesLeaveWithACallThatFails: the codec makes nothing of its value, or panics.
func TestValuesLeaveWithACallThatFails(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for name, call := range sending {
			if name == "Go" {
				continue // its own value would gather, too
			}
			for _, id := range []uint64{0, panicking} {
				_, s := rawMailbox(t, a, 16, 16, dialConfig{Values: picky()})
				_, err := s.Go(t.Context(), order{})
				must(t, err)
				if err := recovered(call, s, order{Urgent: true, ID: id}); !errors.Is(err, mailbox.ErrNotDelivered) {
					t.Error(err)
				}
				if n := s.Left(); n != 1 {
					t.Errorf("%s: %d values have left", name, n)
				}
			}
		}
	})
}

// TestValuesLeaveBehindACallThatHasWaited for room in the window, and whose value gathers, or is none: the mailbox has had
// receives for some of those before it. The others leave when it has, although the program makes no other call.
func TestValuesLeaveBehindACallThatHasWaited(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		withoutReceives(t, a)
		for _, value := range []order{{Urgent: true}, {Urgent: true, ID: panicking}, {}} {
			for name, call := range sending {
				bad := value.Urgent
				if name == "TrySend" || !bad && name != "Go" {
					continue // it does not wait, or until its value is there
				}
				r, s := rawMailbox(t, a, 16, 16, dialConfig{Values: picky()})
				for range 4 { // as many messages as may be under way
					must(t, s.TrySend(order{}))
				}
				for range 12 {
					_, err := s.Go(t.Context(), order{})
					must(t, err)
				}
				done := make(chan error, 1)
				go func() { done <- recovered(call, s, value) }()
				until(t, "the call waits", s.Leads)
				region, err := r.Zone().Alloc(4096, mem.LocalRead)
				must(t, err)
				must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawPlaced(region.Bytes(), 1))))
				if err := <-done; bad != errors.Is(err, mailbox.ErrNotDelivered) {
					t.Error(err)
				}
				must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawPlaced(region.Bytes(), 4))))
				until(t, name+": all before it have left", func() bool { return s.Left() >= 16 })
			}
		}
	})
}
