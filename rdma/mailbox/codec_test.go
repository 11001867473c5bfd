package mailbox_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// text has a codec of its own.
type text struct{ s string }

func (x text) AppendBinary(b []byte) ([]byte, error) {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(x.s))), x.s...), nil
}

func (x *text) UnmarshalBinary(b []byte) error {
	if len(b) < 2 || int(binary.BigEndian.Uint16(b)) != len(b)-2 {
		return errors.New("no text")
	}
	x.s = string(b[2:])
	return nil
}

// TestCodecs: types that are not plain, by their own methods and by JSON.
func TestCodecs(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		type words map[string]int
		json := mailbox.JSON[words]()
		b := listen(t, a, mailbox.Config[text, words]{Answers: json, MaxValue: 5000})
		s := dial(t, a, b, mailbox.DialConfig[text, words]{Answers: json, MaxAnswer: 64})
		go func() {
			for m := range b.C() {
				counts := words{}
				for _, w := range strings.Fields(m.Value.s) {
					counts[w]++
				}
				if err := m.Reply(counts); (err != nil) != (len(m.Value.s) > 50) {
					t.Error(err)
				}
			}
		}()
		r, err := s.Ask(t.Context(), text{"to be or not to be"})
		if err != nil || r["be"] != 2 || r["or"] != 1 {
			t.Errorf("%v, %v", r, err)
		}
		if _, err := s.Ask(t.Context(), text{strings.Repeat("x", 100)}); !errors.Is(err, mailbox.ErrDeclined) || !strings.Contains(err.Error(), "slot") {
			t.Errorf("an answer that is too long: %v", err)
		}
		if _, err := s.Ask(t.Context(), text{strings.Repeat("x", 1<<16-1)}); !errors.Is(err, mailbox.ErrNotDelivered) || !errors.Is(err, rdma.ErrLength) {
			t.Errorf("a value that is too long: %v", err)
		}
		if _, err := mailbox.Dial(t.Context(), a, b.Addr().String(), mailbox.DialConfig[text, words]{}); !errors.Is(err, rdma.ErrInvalid) {
			t.Errorf("no codec: %v", err)
		}
	})
}

// TestLongestSlot: what no peer would believe is an error at once.
func TestLongestSlot(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		type strings = mailbox.Config[string, string]
		for _, cfg := range []strings{{MaxValue: -1}, {MaxValue: 1<<30 + 1}, {Slot: -1}, {Slot: 1<<20 + 1}, {MaxAnswer: -1},
			{MaxAnswer: 1<<20 + 1}, {MaxValue: 100, MaxLarge: 99}, {LargeTimeout: -1}, {AnswerMemory: -1}, {Depth: -1}, {MaxSenders: -1}} {
			cfg.Values, cfg.Answers = mailbox.JSON[string](), mailbox.JSON[string]()
			if b, err := mailbox.Listen(t.Context(), a, address(a), cfg); !errors.Is(err, rdma.ErrInvalid) {
				t.Errorf("%+v: %v, %v", cfg, b, err)
			}
		}
		type sheet = [500]uint64 // longer than its slot and than what may be read
		if b, err := mailbox.Listen(t.Context(), a, address(a), mailbox.Config[sheet, receipt]{Slot: 100, MaxValue: 1000, MaxLarge: 1000}); !errors.Is(err, rdma.ErrInvalid) {
			t.Errorf("%v, %v", b, err)
		}
		for _, bytes := range []int{-1, 1<<20 + 1} {
			_, err := mailbox.Dial(t.Context(), a, address(a), mailbox.DialConfig[receipt, string]{Answers: mailbox.JSON[string](), MaxAnswer: bytes})
			if !errors.Is(err, rdma.ErrInvalid) {
				t.Error(err)
			}
		}
	})
}

// TestManyElements: arrays of nothing, and large ones, have their layout at once.
func TestManyElements(t *testing.T) {
	type part struct {
		A bool
		B uint16
	}
	if mailbox.RawValue(make([]byte, 64), [math.MaxInt]struct{}{}) != 24 {
		t.Error("an array of nothing has bytes")
	}
	b := make([]byte, 1<<20)
	v := [1000]part{999: {A: true}}
	mailbox.Spoil(&v, 999*4+1, 0xaa)
	if n := mailbox.RawValue(b, v); n != 24+4000 || b[24+999*4] != 1 || b[24+999*4+1] != 0 {
		t.Errorf("%d bytes", n)
	}
}
