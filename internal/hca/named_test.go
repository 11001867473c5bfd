package hca_test

import (
	"errors"
	"io"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// What an adapter says becomes an error of the program's call, and loses nothing that
// the call does not tell.
func TestNamed(t *testing.T) {
	for want, err := range map[string]error{
		"free region 3 of zone 1: in use: a window is bound":   hca.NewError(hca.InUse, "close", "region", "a window is bound"),
		"free region 3 of zone 1: in use: 7 entries: too many": hca.NewError(hca.InUse, "CQ.Resize", "7 entries", "too many"),
		"free region 3 of zone 1: closed":                      hca.NewError(hca.Closed, "close", "zone 1", ""),
		"free region 3 of zone 1: internal error: EOF":         io.EOF,
	} {
		if got := hca.Named(err, "free", "region 3 of zone 1"); got.Error() != want {
			t.Errorf("%q, want %q", got, want)
		}
		if code, ok := err.(*hca.Error); ok && (code.Op == "free" || !errors.Is(hca.Named(err, "", ""), code.Code)) {
			t.Errorf("%v has changed, or lost its code", err)
		}
	}
	if hca.Named(nil, "free", "region") != nil {
		t.Error("success has become an error")
	}
}
