package verbs

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// What a library has taken when a post fails: what is before the request that it names; all, if
// it says that there is none; none, if it says nothing. What it named in an earlier call does not
// count.
func TestRefusedPosts(t *testing.T) {
	const nothing, none = -1, -2 // else the number of the request that it names
	var names int
	refuse := func(next func(at uintptr) uintptr) ibv.Func {
		return func(a [5]uintptr) (uintptr, ibv.Errno) {
			at := a[1]
			for i := 0; i < names && at != 0; i++ {
				at = next(at)
			}
			if names == none {
				at = 0
			}
			if names != nothing {
				ibv.View[uintptr](a[2], 1)[0] = at
			}
			return uintptr(ibv.EINVAL), ibv.EINVAL
		}
	}
	ctx, free := ibv.NewContext(0, -1, ibv.Driver{
		PostSend: refuse(func(at uintptr) uintptr { return ibv.View[ibv.SendWR](at, 1)[0].Next }),
		PostRecv: refuse(func(at uintptr) uintptr { return ibv.View[ibv.RecvWR](at, 1)[0].Next }),
	})
	defer free()
	defer ibv.FreeObject(ctx)
	synctest.Test(t, func(t *testing.T) {
		s := newStepped(t, 16)
		s.x.mu.Lock()
		s.x.frame.Ops = ctx.Ops()
		s.x.mu.Unlock()
		wrs := make([]hca.SendWR, 4)
		for i := range wrs {
			wrs[i].Op = hca.OpSend
		}
		for _, c := range []struct{ names, took int }{{2, 2}, {nothing, 0}, {none, 4}, {nothing, 0}, {0, 0}, {3, 3}, {nothing, 0}} {
			names = c.names
			for what, post := range map[string]func() (int, error){
				"requests": func() (int, error) { return s.x.PostSends(wrs) },
				"receives": func() (int, error) { return s.x.PostRecvs(make([]hca.RecvWR, 4)) },
			} {
				n, err := post()
				if n != c.took || (err == nil) != (n == 4) || err != nil && !errors.Is(err, ibv.EINVAL) {
					t.Errorf("the library names %d: %d %s were taken, want %d: %v", c.names, n, what, c.took, err)
				}
			}
		}
	})
}
