package mailbox

import (
	"bytes"
	"testing"
)

// CheckMessage parses a message, and checks what was accepted.
func CheckMessage[T any](t *testing.T, b []byte) {
	before := bytes.Clone(b)
	h, end := parse(b)
	if !bytes.Equal(b, before) {
		t.Fatal("the message has changed")
	}
	if end == 0 {
		if h != (header{}) || noRecord(b) == nil {
			t.Fatal("a result beside an error")
		}
		return
	}
	body, rest := b[headerSize:end], b[end:]
	again := make([]byte, headerSize)
	h.put(again)
	if again = append(append(again, body...), rest...); !bytes.Equal(again, b) {
		t.Fatalf("% x became % x", b, again)
	}
	c, err := newCoder[T](nil, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if c.get(&v, body) != nil {
		return
	}
	for _, at := range c.bools {
		if bytesOf(&v)[at] > 1 {
			t.Fatal("a bool is neither 0 nor 1")
		}
	}
	into := make([]byte, c.max)
	if n, _, err := c.put(into, &v); err != nil || n != len(body) {
		t.Fatal(n, err)
	}
	for i := range into {
		used := true
		for _, p := range c.padding {
			used = used && (i < p.from || i >= p.end)
		}
		if used && into[i] != body[i] || !used && into[i] != 0 {
			t.Fatalf("byte %d: %x became %x", i, body[i], into[i])
		}
	}
}

// CheckHello parses private data, and checks what was accepted.
func CheckHello(t *testing.T, b []byte) {
	h, err := parseHello(b)
	if (h == nil) == (err == nil) {
		t.Fatal("a result and an error, or neither")
	}
	if err == nil && (h.window < 1 || h.window > 1<<16 || h.asks < 1 || h.asks > 1<<16 || h.bytes < 0 || h.bytes > maxValue) {
		t.Fatalf("%+v", h)
	}
}
