package mailbox

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
)

// layout is how values of a plain type lie in memory.
type layout struct {
	text  strings.Builder // type and offset of each field
	size  int
	bools []int  // offsets of bytes that must be 0 or 1
	used  []bool // by byte: not padding
	plain bool
}

// layoutOf describes a type. It is plain if it consists of integers, floats, complex numbers and
// bools, and of arrays and structs of them.
func layoutOf(t reflect.Type) *layout {
	l := &layout{size: int(t.Size()), plain: true}
	if l.size > maxSlot {
		l.plain = false // larger than any slot
		return l
	}
	l.used = make([]bool, l.size)
	l.add(t, 0)
	return l
}

func (l *layout) add(t reflect.Type, at int) {
	switch t.Kind() {
	case reflect.Struct:
		l.text.WriteByte('{')
		for i := range t.NumField() {
			if i > 0 {
				l.text.WriteString("; ")
			}
			f := t.Field(i)
			fmt.Fprintf(&l.text, "%s@%d ", f.Name, f.Offset)
			l.add(f.Type, at+int(f.Offset))
		}
		l.text.WriteByte('}')
	case reflect.Array:
		fmt.Fprintf(&l.text, "[%d]", t.Len())
		if t.Len() == 0 {
			l.text.WriteString(t.Elem().Kind().String())
			return
		}
		before := len(l.bools)
		l.add(t.Elem(), at)
		size, bools := int(t.Elem().Size()), l.bools[before:]
		for next := at + size; next < at+int(t.Size()); next += size { // the others are like the first
			copy(l.used[next:], l.used[at:at+size])
			for _, b := range bools {
				l.bools = append(l.bools, b-at+next)
			}
		}
	case reflect.Bool:
		l.bools = append(l.bools, at)
		l.number(t, at)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		l.number(t, at)
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		l.number(t, at)
		fmt.Fprintf(&l.text, "%d", 8*t.Size()) // the size differs between machines
	default:
		l.plain = false
	}
}

func (l *layout) number(t reflect.Type, at int) {
	l.text.WriteString(t.Kind().String())
	for i := range int(t.Size()) {
		l.used[at+i] = true
	}
}

// padding is the runs of bytes that belong to no field.
func (l *layout) padding() (runs []span) {
	for i, used := range l.used {
		switch {
		case used:
		case len(runs) > 0 && runs[len(runs)-1].end == i:
			runs[len(runs)-1].end++
		default:
			runs = append(runs, span{i, i + 1})
		}
	}
	return runs
}

type span struct{ from, end int }

// String is the layout as errors show it, with size and byte order.
func (l *layout) String() string {
	return fmt.Sprintf("%d bytes %s %s", l.size, byteOrder, &l.text)
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
