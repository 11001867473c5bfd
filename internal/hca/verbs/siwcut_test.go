package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func TestCutAtPage(t *testing.T) {
	for _, c := range []struct {
		at     uint64
		length uint32
		parts  []uint32
	}{
		{0, 32, []uint32{32}},
		{pageSize - 32, 32, []uint32{32}},
		{pageSize - 31, 32, []uint32{31, 1}},
		{pageSize - 1, 32, []uint32{1, 31}},
		{pageSize - 1, 2, []uint32{1, 1}},
		{pageSize - 1, 1, []uint32{1}},
		{pageSize - 1, 33, []uint32{33}},
	} {
		at := 8*pageSize + c.at
		g := []ibv.SGE{{Addr: at, Length: c.length, LKey: 5}, {}}
		n := cutAtPage(g)
		if n != len(c.parts) {
			t.Errorf("%d bytes at %d: %d segments", c.length, c.at, n)
			continue
		}
		for i, length := range c.parts {
			if g[i].Addr != at || g[i].Length != length || g[i].LKey != 5 {
				t.Errorf("%d bytes at %d: segment %d is %+v", c.length, c.at, i, g[i])
			}
			at += uint64(length)
		}
	}
}
