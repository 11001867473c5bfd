package sharedmem_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmARejectionNamesTheAddress that was connected to, whether the program or its adapter has rejected.
func TestShmARejectionNamesTheAddress(t *testing.T) {
	for _, code := range []error{hca.Rejected, hca.Refused} {
		b, a := softtest.NewEnd(t, "shm", 16, 64), softtest.NewEnd(t, "shm", 16, 64)
		l, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
			if code == hca.Rejected {
				go r.Reject(nil)
			}
			return code == hca.Rejected
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		err = a.QP.Connect(context.Background(), l.Addr(), hca.ConnParams{})
		var e *hca.Error
		if !errors.Is(err, code) || !errors.As(err, &e) || e.Object != l.Addr() {
			t.Errorf("%v, want %v by %s", err, code, l.Addr())
		}
	}
}
