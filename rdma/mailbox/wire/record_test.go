package wire_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"testing"
)

// The kinds of records.
const (
	kindValue = 1 + iota
	kindAsk
	kindAnswer
	kindDecline
	kindPlaced
	kindRefused
	kindClosed
	kindLargeValue
	kindLargeAsk
)

const headerBytes = 24

// A record is one of a message.
type record struct {
	kind       byte
	id, placed uint64
	body       []byte
}

func (r record) String() string {
	return fmt.Sprintf("kind %d, id %#x, placed %d, %q", r.kind, r.id, r.placed, r.body)
}

// message is the bytes of a message of these records.
func message(records ...record) (b []byte) {
	for _, r := range records {
		b = append(b, r.kind, 0, 0, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(len(r.body)))
		b = binary.BigEndian.AppendUint64(b, r.id)
		b = binary.BigEndian.AppendUint64(b, r.placed)
		b = append(b, r.body...)
	}
	return b
}

// records are those of a message.
func records(t *testing.T, b []byte) (list []record) {
	t.Helper()
	if len(b) == 0 {
		t.Fatal("a message without a record")
	}
	for len(b) > 0 {
		if len(b) < headerBytes || b[1] != 0 || b[2] != 0 || b[3] != 0 {
			t.Fatalf("not a record: %x", b)
		}
		n := int(binary.BigEndian.Uint32(b[4:]))
		if n > len(b)-headerBytes {
			t.Fatalf("a record of %d bytes in %d", n, len(b)-headerBytes)
		}
		list = append(list, record{
			kind: b[0], id: binary.BigEndian.Uint64(b[8:]), placed: binary.BigEndian.Uint64(b[16:]),
			body: append([]byte(nil), b[headerBytes:headerBytes+n]...),
		})
		b = b[headerBytes+n:]
	}
	return list
}

// text is that of a plain type.
func text(v any) string {
	order := "little"
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		order = "big"
	}
	t := reflect.TypeOf(v)
	return fmt.Sprintf("%d bytes %s-endian %s", t.Size(), order, fields(t))
}

func fields(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		var list []string
		for f := range t.Fields() {
			list = append(list, fmt.Sprintf("%s@%d %s", f.Name, f.Offset, fields(f.Type)))
		}
		return "{" + strings.Join(list, "; ") + "}"
	case reflect.Array:
		if t.Len() == 0 {
			return fmt.Sprintf("[0]%v", t.Elem().Kind())
		}
		return fmt.Sprintf("[%d]%s", t.Len(), fields(t.Elem()))
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return fmt.Sprintf("%v%d", t.Kind(), t.Bits())
	}
	return t.Kind().String()
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
