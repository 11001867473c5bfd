package valkey

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// messages are what was captured of a real server and client, and their meaning.
var messages = []struct {
	name, hex string
	want      message
}{
	{"memory", "0003" + strings.Repeat("00", 14) + "00007f713dd87000" + "00100000" + "00000388",
		message{op: register, address: 0x7f713dd87000, length: 1 << 20, key: 0x388}},
	{"memory that is not aligned", "0003" + strings.Repeat("00", 14) + "00007f08e2540010" + "00100000" + "00000363",
		message{op: register, address: 0x7f08e2540010, length: 1 << 20, key: 0x363}},
	{"features", strings.Repeat("00", 32), message{op: getFeatures}},
	{"features of a group", "00000102" + strings.Repeat("00", 20) + "8000000000000001", message{op: getFeatures, group: 0x102, features: 1<<63 | 1}},
	{"choice", "00010003" + strings.Repeat("00", 20) + "00000000000000ff", message{op: setFeatures, group: 3, features: 255}},
	{"sign of life", "0002" + strings.Repeat("00", 30), message{op: keepAlive}},
}

// TestMessages: each message has its bytes, and its bytes have the meaning.
func TestMessages(t *testing.T) {
	for _, m := range messages {
		want, err := hex.DecodeString(m.hex)
		if err != nil || len(want) != messageSize {
			t.Fatalf("%s: %d bytes, %v", m.name, len(want), err)
		}
		got := bytes.Repeat([]byte{0xff}, messageSize)
		if m.want.put(got); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", m.name, got, want)
		}
		if got, err := parse(want, messageSize); err != nil || got != m.want {
			t.Errorf("%s: %+v, %v", m.name, got, err)
		}
	}
}

// TestMessagesIgnoreTheRest: bytes without a meaning may be anything.
func TestMessagesIgnoreTheRest(t *testing.T) {
	b := bytes.Repeat([]byte{0xff}, messageSize)
	b[0], b[1] = 0, byte(keepAlive)
	if m, err := parse(b, messageSize); err != nil || m != (message{op: keepAlive}) {
		t.Errorf("%+v, %v", m, err)
	}
	b[1] = byte(register)
	if m, err := parse(b, messageSize); err != nil || m.group != 0 || m.features != 0 || m.key != 1<<32-1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestNoMessages: other lengths and opcodes are refused, whatever else they have.
func TestNoMessages(t *testing.T) {
	b := make([]byte, messageSize)
	for _, length := range []int{-1, 0, 4, messageSize - 1, messageSize + 1} {
		if _, err := parse(b, length); !errors.Is(err, ErrProtocol) {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
	if _, err := parse(b[:messageSize-1], messageSize); !errors.Is(err, ErrProtocol) {
		t.Errorf("a receive that is too short: %v", err)
	}
	for _, op := range []uint16{4, 0x100, 0x300, 0xffff} {
		b[0], b[1] = byte(op>>8), byte(op)
		if _, err := parse(b, messageSize); !errors.Is(err, ErrProtocol) {
			t.Errorf("opcode %#x: %v", op, err)
		}
	}
}

// FuzzMessage: a message is parsed or refused, and a parsed one has the bytes that have a meaning.
func FuzzMessage(f *testing.F) {
	for _, m := range messages {
		b, _ := hex.DecodeString(m.hex)
		f.Add(b)
	}
	f.Add([]byte{0, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parse(b, len(b))
		if (err == nil) != (len(b) == messageSize && b[0] == 0 && b[1] <= byte(register)) {
			t.Fatalf("%x: %v", b, err)
		}
		if err != nil {
			return
		}
		again := make([]byte, messageSize)
		m.put(again)
		if n, err := parse(again, messageSize); err != nil || n != m {
			t.Errorf("%+v, then %+v, %v", m, n, err)
		}
	})
}

// TestReader: the buffer is free again when all of it was read, and not before.
func TestReader(t *testing.T) {
	r := reader{size: 10}
	for _, c := range []struct {
		number uint32
		length int
		ok     bool
	}{{0, 0, false}, {4, 3, false}, {3, 4, false}, {11, 11, false}, {1<<32 - 1, -1, false}, {6, 6, true}, {5, 5, false}, {4, 4, true}, {1, 1, false}} {
		if err := r.add(c.number, c.length); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrProtocol) {
			t.Errorf("a write of %d bytes that says %d: %v", c.length, c.number, err)
		}
	}
	if at, n := r.ready(); at != 0 || n != 10 {
		t.Errorf("%d bytes at %d", n, at)
	}
	if r.read(9) {
		t.Error("free with a byte that was not read")
	}
	if at, n := r.ready(); at != 9 || n != 1 {
		t.Errorf("%d bytes at %d", n, at)
	}
	if !r.read(1) || r.add(10, 10) != nil {
		t.Error("not free with all bytes read")
	}
}

// TestWriter: writes go front to back, and begin anew with each message about the memory.
func TestWriter(t *testing.T) {
	var w writer
	if w.room() != 0 {
		t.Errorf("room of %d without memory", w.room())
	}
	for _, m := range []message{{op: register, address: 5}, {op: register, address: 1<<64 - 8, length: 9}} {
		if err := w.register(m); !errors.Is(err, ErrProtocol) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if err := w.register(message{op: register, address: 1000, length: 100, key: 7}); err != nil {
		t.Fatal(err)
	}
	if a, b := w.put(30), w.put(70); a.Addr != 1000 || a.Length != 30 || b.Addr != 1030 || b.Length != 70 || b.Key != 7 || w.room() != 0 {
		t.Errorf("%+v and %+v, then room of %d", a, b, w.room())
	}
	if err := w.register(message{op: register, address: 5000, length: 10, key: 8}); err != nil || w.room() != 10 || w.put(1).Addr != 5000 {
		t.Errorf("%v, room of %d", err, w.room())
	}
}

// TestGather: a peer that is not heard of gets small writes gathered, and fewer than 800 in all before
// its memory is full.
func TestGather(t *testing.T) {
	for _, size := range []uint32{4096, 64 << 10, 1 << 20, 16 << 20} {
		var w writer
		if err := w.register(message{op: register, length: size}); err != nil {
			t.Fatal(err)
		}
		n := 0
		for n < 800 && w.room() > 0 {
			w.put(min(max(1, w.gather()), w.room()))
			n++
		}
		if n >= 800 {
			t.Errorf("%d writes for %d bytes", n, size)
		}
		if w.unserved = 0; w.gather() != 0 {
			t.Error("a peer that was heard of gets writes gathered")
		}
	}
}
