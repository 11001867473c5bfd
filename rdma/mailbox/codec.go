package mailbox

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/godapl/godapl/rdma"
)

// Codec turns values into bytes and back, for types that are not plain. Its functions are called
// by several goroutines at a time. They must not wait, nor call this package: all calls of the sender, the mailbox
// and their Close wait for them. A panic in a sender comes out of the call whose value or answer it was for (that of
// Decode as an error with its stack), and the sender can be used as before.
type Codec[V any] struct {
	// Name goes to the peer when a sender connects; both sides must have the same.
	Name string
	// Append appends the bytes of a value to b, which is empty and lies in registered memory. It
	// must not keep b, nor change what it has returned: a mailbox may read that later.
	Append func(b []byte, v V) ([]byte, error)
	// Decode makes a value of the bytes of one, which lie in registered memory and are the next
	// value's when it has returned: it must not keep b. A peer may send any bytes. Where it panics for a value of a
	// mailbox, that ends the program, which has no call there.
	Decode func(b []byte) (V, error)
}

// JSON is a codec by package encoding/json.
func JSON[V any]() *Codec[V] {
	return &Codec[V]{
		Name: "json",
		Append: func(b []byte, v V) ([]byte, error) {
			text, err := json.Marshal(v)
			return append(b, text...), err
		},
		Decode: func(b []byte) (v V, err error) {
			err = json.Unmarshal(b, &v)
			return v, err
		},
	}
}

// binaryCodec is the codec of types that have their own, if V is one.
func binaryCodec[V any]() *Codec[V] {
	if _, ok := any(new(V)).(encoding.BinaryAppender); !ok {
		return nil
	}
	if _, ok := any(new(V)).(encoding.BinaryUnmarshaler); !ok {
		return nil
	}
	return &Codec[V]{
		Name:   "binary " + reflect.TypeFor[V]().String(),
		Append: func(b []byte, v V) ([]byte, error) { return any(&v).(encoding.BinaryAppender).AppendBinary(b) },
		Decode: func(b []byte) (v V, err error) {
			err = any(&v).(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
			return v, err
		},
	}
}

// coder puts values into slots and takes them out.
type coder[V any] struct {
	text    string // what both sides must have alike
	slot    int    // bytes that fit a message; longer values are read from the sender's memory
	max     int    // bytes of the longest value
	codec   *Codec[V]
	bools   []int
	padding []span
}

// The longest slot or answer, and the longest value, in bytes. Peers that say more are not
// believed.
const (
	maxSlot  = 1 << 20
	maxValue = 1 << 30
)

// newCoder chooses how values of V travel: those of a codec have up to most bytes, and up to slot
// in a message. 0 is the default of slot.
func newCoder[V any](codec *Codec[V], slot, most int) (*coder[V], error) {
	if slot < 0 || slot > maxSlot {
		return nil, fmt.Errorf("mailbox: Slot and MaxAnswer are up to a MiB, not %d bytes: %w", slot, rdma.ErrInvalid)
	}
	if codec == nil {
		codec = binaryCodec[V]()
	}
	if codec != nil {
		if most < 0 || most > maxValue {
			return nil, fmt.Errorf("mailbox: MaxValue is up to a GiB, not %d bytes: %w", most, rdma.ErrInvalid)
		}
		if codec.Append == nil || codec.Decode == nil || codec.Name == "" {
			return nil, fmt.Errorf("mailbox: the codec of %v needs Name, Append and Decode: %w", reflect.TypeFor[V](), rdma.ErrInvalid)
		}
		return &coder[V]{text: "codec " + codec.Name, slot: min(orElse(slot, 1024), most), max: most, codec: codec}, nil
	}
	l := layoutOf(reflect.TypeFor[V]())
	if !l.plain {
		return nil, fmt.Errorf("mailbox: %v is not plain (numbers, bools, and arrays and structs of them, up to a MiB): "+
			"give it AppendBinary and UnmarshalBinary, or the configuration a codec: %w", reflect.TypeFor[V](), rdma.ErrInvalid)
	}
	return &coder[V]{text: l.String(), slot: min(orElse(slot, l.size), l.size), max: l.size, bools: l.bools, padding: l.padding()}, nil
}

var (
	errTooLarge = fmt.Errorf("the value is larger than the mailbox takes (Config.MaxValue): %w", rdma.ErrLength)
	errTooLong  = fmt.Errorf("the answer is larger than a slot (Config.MaxAnswer, DialConfig.MaxAnswer): %w", rdma.ErrLength)
	errNotBool  = errors.New("a bool is neither 0 nor 1")
)

// put writes a value into a slot and returns its length. What is longer than the slot it returns
// instead, in memory of its own.
func (c *coder[V]) put(slot []byte, v *V) (n int, long []byte, err error) {
	if c.codec != nil {
		b, err := c.codec.Append(slot[:0:len(slot)], *v)
		switch {
		case err != nil:
			return 0, nil, err
		case len(b) > len(slot):
			return 0, b, nil
		}
		return copy(slot, b), nil, nil // without effect if Append has appended in place
	}
	if c.max > len(slot) {
		long = make([]byte, c.max)
		slot = long
	}
	n = copy(slot, bytesOf(v))
	for _, p := range c.padding {
		clear(slot[p.from:p.end]) // what was there before is not the peer's to see
	}
	return n, long, nil
}

// fits reports whether a value of so many bytes can be one of V.
func (c *coder[V]) fits(bytes uint64) bool {
	return bytes <= uint64(c.max) && (c.codec != nil || bytes == uint64(c.max))
}

// wellFormed reports whether each bool of a value is one. Values of a codec are not asked.
func (c *coder[V]) wellFormed(v *V) bool {
	for _, at := range c.bools {
		if bytesOf(v)[at] > 1 {
			return false
		}
	}
	return true
}

// get takes a value out of a slot. A value that is refused leaves v unchanged.
func (c *coder[V]) get(v *V, b []byte) error {
	if c.codec != nil {
		if len(b) > c.max { // a message has room for more, where several are meant to fit
			return fmt.Errorf("%d bytes, where %d is the limit", len(b), c.max)
		}
		decoded, err := c.codec.Decode(b)
		if err == nil {
			*v = decoded
		}
		return err
	}
	if len(b) != c.max {
		return fmt.Errorf("a value of %d bytes, not %d", len(b), c.max)
	}
	for _, at := range c.bools {
		if b[at] > 1 {
			return errNotBool
		}
	}
	copy(bytesOf(v), b)
	return nil
}
