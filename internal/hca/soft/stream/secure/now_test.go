package secure_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/tlstest"
)

// piped is one direction between two sockets that do not block: each call moves some of the bytes, or none.
type piped struct {
	b     []byte
	ended bool
	most  int // held
}

// socket implements secure.Socket over two pipes.
type socket struct {
	r       *rand.Rand
	in, out *piped
}

func (s *socket) Read(p []byte) (int, error) {
	if len(s.in.b) == 0 {
		if s.in.ended {
			return 0, io.EOF
		}
		return 0, wire.ErrAgain
	}
	n := copy(p[:min(len(p), 1+s.r.IntN(40<<10))], s.in.b)
	s.in.b = s.in.b[n:]
	return n, nil
}

func (s *socket) Write(list [][]byte) (n int, err error) {
	for _, b := range list {
		k := min(len(b), s.out.most-len(s.out.b), 1+s.r.IntN(40<<10))
		s.out.b = append(s.out.b, b[:k]...)
		n += k
		if k < len(b) {
			break
		}
	}
	if n == 0 {
		return 0, wire.ErrAgain
	}
	return n, nil
}

// whole reads everything at once.
type whole struct{ in *piped }

func (w whole) Read(p []byte) (int, error) {
	switch {
	case len(w.in.b) > 0:
		n := copy(p, w.in.b)
		w.in.b = w.in.b[n:]
		return n, nil
	case w.in.ended:
		return 0, io.EOF
	}
	return 0, wire.ErrAgain
}

func (w whole) Write([][]byte) (int, error) { return 0, wire.ErrAgain }

// pair makes two streams that have done their handshake and do not block any more.
func pair(t *testing.T, r *rand.Rand, most int) (x, y *secure.Stream, there, back *piped) {
	t.Helper()
	config := tlstest.NewAuthority().Config("localhost")
	cfg, err := secure.NewConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	a, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	x, y = cfg.Client(a, "localhost:1"), cfg.Server(b)
	done := make(chan error, 1)
	go func() { done <- y.Handshake(context.Background()) }()
	if err := errors.Join(x.Handshake(context.Background()), <-done); err != nil {
		t.Fatal(err)
	}
	// A byte each way: the session tickets, which the server has sent, are read.
	for _, way := range [][2]*secure.Stream{{x, y}, {y, x}} {
		var one [1]byte
		if _, err := way[0].Write(one[:]); err != nil {
			t.Fatal(err)
		}
		if _, err := way[1].Read(one[:]); err != nil {
			t.Fatal(err)
		}
	}
	there, back = &piped{most: most}, &piped{most: most}
	x.Detach(&socket{r, back, there})
	y.Detach(&socket{r, there, back})
	return x, y, there, back
}

// TestBytesArrive: lists of any pieces, over sockets that take and give any number of bytes at a time.
func TestBytesArrive(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		x, y, there, _ := pair(t, r, 1+r.IntN(200<<10))
		data := make([]byte, 600<<10+r.IntN(1<<10))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		got, sent := make([]byte, 0, len(data)), 0
		for idle := 0; len(got) < len(data); idle++ {
			if idle > 100 {
				t.Fatalf("seed %d: stuck with %d of %d bytes sent and %d received", seed, sent, len(data), len(got))
			}
			n, err := x.WriteNow(pieces(r, data[sent:]))
			if err != nil && err != wire.ErrAgain {
				t.Fatal(err)
			}
			if sent += n; n > 0 {
				idle = 0
			}
			if r.IntN(3) == 0 {
				continue
			}
			buf := make([]byte, 1+r.IntN(300<<10))
			n, err = y.ReadNow(buf)
			if err != nil && err != wire.ErrAgain {
				t.Fatal(err)
			}
			if n < len(buf) && y.Left() {
				t.Fatalf("seed %d: a read of %d bytes into %d leaves something", seed, n, len(buf))
			}
			if got = append(got, buf[:n]...); n > 0 {
				idle = 0
			}
			if y.Left() || len(there.b) > 0 {
				continue
			}
			if n, err := y.ReadNow(buf); err != wire.ErrAgain {
				t.Fatalf("seed %d: %d bytes, %v: they were not told of", seed, n, err)
			}
		}
		if n, _ := x.WriteNow(pieces(r, data[sent:])); sent+n != len(data) {
			t.Errorf("seed %d: %d of %d bytes are reported as sent", seed, sent+n, len(data))
		}
		if !bytes.Equal(got, data) {
			t.Errorf("seed %d: the bytes differ", seed)
		}
	}
}

// pieces cuts bytes into a list.
func pieces(r *rand.Rand, b []byte) (list [][]byte) {
	for len(b) > 0 && len(list) < 60 {
		n := min(len(b), r.IntN([]int{3, 100, 70 << 10}[r.IntN(3)])+1)
		list = append(list, b[:n:n])
		b = b[n:]
	}
	return list
}

// TestNothingIsLostWhenItBlocksAgain: what a full socket did not take is sent first, once, when the stream blocks again.
func TestNothingIsLostWhenItBlocksAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y, there, _ := pair(t, r, 10<<10)
	data := bytes.Repeat([]byte("godapl "), 20<<10)
	n, err := x.WriteNow([][]byte{data})
	if err != nil || n == 0 || n == len(data) {
		t.Fatalf("%d bytes of %d, %v: want some", n, len(data), err)
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	first := there.b
	x.Attach(a)
	y.Attach(&prefixed{b, first})
	go func() {
		_, _ = x.Write(data[n:])
	}()
	got := make([]byte, len(data))
	if _, err := io.ReadFull(y, got); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the bytes differ, or %v", err)
	}
}

type prefixed struct {
	net.Conn
	b []byte
}

func (p *prefixed) Read(b []byte) (int, error) {
	if len(p.b) > 0 {
		n := copy(b, p.b)
		p.b = p.b[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// TestACutStreamIsNoEnd: only the peer can make the alert that ends its stream.
func TestACutStreamIsNoEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x, y, there, _ := pair(t, r, 1<<20)
	if n, err := x.WriteNow([][]byte{[]byte("whole")}); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	there.ended = true
	buf := make([]byte, 10)
	if n, err := y.ReadNow(buf); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := y.ReadNow(buf); err == io.EOF || err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("a cut stream reads as %v", err)
	}
}

// TestAlertIsTheEnd: what came before it is read first.
func TestAlertIsTheEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y, there, _ := pair(t, r, 1<<20)
	if n, err := x.WriteNow([][]byte{[]byte("whole")}); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	if err := x.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	there.ended = true
	buf := make([]byte, 10)
	y.Detach(whole{there}) // the alert comes together with the bytes
	if n, err := y.ReadNow(buf); n != 5 || err != nil || !y.Left() {
		t.Fatal(n, err, y.Left())
	}
	for range 2 {
		if _, err := y.ReadNow(buf); err != io.EOF || y.Left() {
			t.Errorf("the end reads as %v, and leaves something: %v", err, y.Left())
		}
	}
}

// TestSmallRecords: a read of many small records ends, tells that there is more, and loses nothing.
func TestSmallRecords(t *testing.T) {
	x, y, there, _ := pair(t, rand.New(rand.NewPCG(7, 8)), 1<<20)
	const records = 2000
	for i := range records {
		if n, err := x.WriteNow([][]byte{{byte(i)}}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	y.Detach(whole{there})
	buf := make([]byte, records+1)
	for got := 0; got < records; {
		n, err := y.ReadNow(buf)
		if err != nil || n > 300 || y.Left() != (got+n < records) {
			t.Fatalf("%d bytes after %d, %v, left %v", n, got, err, y.Left())
		}
		for i, b := range buf[:n] {
			if b != byte(got+i) {
				t.Fatalf("byte %d is %d", got+i, b)
			}
		}
		got += n
	}
}

// TestPartialRecord: part of a record is told of until it is whole.
func TestPartialRecord(t *testing.T) {
	x, y, there, _ := pair(t, rand.New(rand.NewPCG(9, 10)), 1<<20)
	y.Detach(whole{there})
	buf := make([]byte, 100)
	last, begun := int64(-1), int64(-1)
	for range 3 {
		if _, err := x.WriteNow([][]byte{[]byte("hello")}); err != nil {
			t.Fatal(err)
		}
		record := there.b
		for i, b := range record {
			there.b = []byte{b}
			n, err := y.ReadNow(buf)
			at, yes := y.Partial()
			if done := i == len(record)-1; done != (n == 5 && err == nil) || yes == done || !done && i > 0 && at != last {
				t.Fatalf("byte %d of %d: %d, %v, partial %v at %d", i, len(record), n, err, yes, at)
			}
			if i == 0 {
				if at <= begun {
					t.Errorf("a record at %d follows one at %d", at, begun)
				}
				begun = at
			}
			last = at
		}
	}
}

// FuzzRecords changes what arrives on a stream that has done its handshake: nothing of it may come out.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x17\x03\x03\x00\x05hello"), 0)
	f.Add([]byte("\x15\x03\x03\x00\x02\x01\x00"), 3)
	f.Add([]byte("\x17\x03\x03\xff\xff"), 100)
	f.Fuzz(func(t *testing.T, garbage []byte, at int) {
		r := rand.New(rand.NewPCG(uint64(len(garbage)), 1))
		x, y, there, _ := pair(t, r, 1<<20)
		if _, err := x.WriteNow([][]byte{[]byte("a message")}); err != nil {
			t.Fatal(err)
		}
		good := bytes.Clone(there.b)
		at = min(max(at, 0), len(good))
		there.b = append(append(good[:at:at], garbage...), good[at:]...)
		there.ended = true
		want := "a message"
		var got []byte
		buf := make([]byte, 64)
		for range len(there.b) + 2 {
			n, err := y.ReadNow(buf)
			got = append(got, buf[:n]...)
			if err != nil && err != wire.ErrAgain {
				break
			}
		}
		if s := string(got); s != "" && s != want {
			t.Errorf("%q came out", got)
		}
	})
}
