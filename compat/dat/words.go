package dat

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Enumerations and flags print in C's spelling, so that logs of a ported program can be
// compared with the manual and searched. If several constants have one number, the name
// is that of the value rather than of the beginning of a range, and InfiniBand's rather
// than iWARP's.

// words are the names of an enumeration's values, or of flags.
type words[T ~uint32 | ~uint64 | ~int] []struct {
	value T
	name  string
}

// exact is the name of v; "" if it has none.
func (w words[T]) exact(v T) string {
	for i := range w {
		if w[i].value == v {
			return w[i].name
		}
	}
	return ""
}

// one is the name of v, or its type and number.
func (w words[T]) one(v T) string {
	if s := w.exact(v); s != "" {
		return s
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "dat.") + "(" + strconv.FormatInt(int64(v), 10) + ")"
}

// all is the names of the flags in v, joined by "|"; flags without a name follow as a
// number.
func (w words[T]) all(v T) string {
	if s := w.exact(v); s != "" {
		return s
	}
	var parts []string
	for i := range w {
		if f := w[i].value; bits.OnesCount64(uint64(f)) == 1 && v&f != 0 {
			parts = append(parts, w[i].name)
			v &^= f
		}
	}
	if v != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%#x", uint64(v)))
	}
	return strings.Join(parts, "|")
}
