package wire_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

type kind int16

type inner struct{ A, B uint8 }

type outer struct {
	inner
	_     bool
	Kinds [2]kind
	Pairs [3][2]inner
	None  [0]inner
	Z     complex64
	P     uintptr
}

// takes checks that a mailbox of the type takes a sender whose type has this text.
func takes[T any](ctx context.Context, t *testing.T, a *rdma.Adapter, codec *mailbox.Codec[T], text, none string) {
	t.Helper()
	box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[T, mailbox.None]{Values: codec})
	check(t, err)
	defer box.Close()
	_, _, err = dial(ctx, t, a, box.Addr().String(), request{
		window: 1, asks: 1, values: hash(text), answers: hash(none), longest: headerBytes + 100,
	})
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

func TestTexts(t *testing.T) {
	ctx, a := open(t, "soft-loop")
	none := text(mailbox.None{})
	takes[kind](ctx, t, a, nil, text(int16(0)), none)
	takes[bool](ctx, t, a, nil, text(false), none)
	takes[[4]uint](ctx, t, a, nil, text([4]uint{}), none)
	takes[outer](ctx, t, a, nil, text(outer{}), none)
	takes[mailbox.None](ctx, t, a, nil, none, none)
	takes[netip.Addr](ctx, t, a, nil, "codec binary netip.Addr", none)
	takes(ctx, t, a, mailbox.JSON[map[string]int](), "codec json", none)
	if got := text(int64(0)); got != "8 bytes little-endian int64" && got != "8 bytes big-endian int64" {
		t.Error(got)
	}
}
