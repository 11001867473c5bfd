package sharedmem_test

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// Any process of this user may answer under a name on this host.

// strange holds the descriptors of a correct handshake, and others.
type strange struct {
	doorbell, directory, memory, page, file int
}

func newStrange(t *testing.T) (s strange) {
	t.Helper()
	var err error
	if s.doorbell, err = shm.NewEvent(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shm.CloseFD(s.doorbell) })
	for fd, size := range map[*int]int64{&s.directory: sharedmem.DirectorySize, &s.memory: int64(sharedmem.ShmSize()), &s.page: 4096} {
		f, err := shm.CreateFile("strange", size, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		*fd = f.FD()
	}
	plain, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plain.Close() })
	s.file = int(plain.Fd())
	return s
}

// A saying is one message of a handshake.
type saying struct {
	what    string
	message []byte
	fds     []int
}

// wrong lists wrong messages in place of a good one that has these descriptors.
func (s strange) wrong(good []byte, fds ...int) (list []saying) {
	for n := 1; n < sharedmem.HelloFixed; n++ {
		list = append(list, saying{"cut at " + strconv.Itoa(n), good[:n], fds})
	}
	for i := range sharedmem.HelloFixed {
		if i >= 12 && i < 14 || i > 17 { // the kind may be another good one; what follows is free
			continue
		}
		b := append([]byte(nil), good...)
		b[i] ^= 0x80
		list = append(list, saying{"byte " + strconv.Itoa(i) + " changed", b, fds})
	}
	for _, kind := range []uint8{0, 6, 7, 255} {
		b := append([]byte(nil), good...)
		b[12] = kind
		list = append(list, saying{"kind " + strconv.Itoa(int(kind)), b, fds})
	}
	list = append(list, saying{"too long", append(append([]byte(nil), good...), make([]byte, 2000)...), fds})
	for n := range len(fds) {
		list = append(list, saying{strconv.Itoa(n) + " descriptors", good, fds[:n]})
		other := append([]int(nil), fds...)
		other[n] = s.file
		list = append(list, saying{"descriptor " + strconv.Itoa(n) + " is a file's", good, other})
	}
	many := append(append(append([]int(nil), fds...), s.file, s.file), s.doorbell)
	return append(list, saying{"too many descriptors", good, many})
}

// wrongGroups lists messages that name a group or a board which cannot be, behind the other descriptors that such a message has.
func (s strange) wrongGroups(kind uint8, others ...int) (list []saying) {
	for what, board := range map[string]bool{"group": false, "board": true} {
		in := func(wrong string, slot uint32, fds ...int) {
			list = append(list, saying{what + ": " + wrong, sharedmem.GroupedHello(kind, 0, slot, board), append(append([]int(nil), others...), fds...)})
		}
		in("no descriptors", 0)
		in("one descriptor", 0, s.page)
		in("a page of another size", 0, s.memory, s.doorbell)
		in("no event", 0, s.page, s.file)
		in("a slot that none has", group.Most, s.page, s.doorbell)
	}
	return list
}

// settled waits until no more descriptors are open than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for late := time.Now().Add(30 * time.Second); softtest.Descriptors(t) > before; runtime.Gosched() {
		if time.Now().After(late) {
			t.Fatalf("%d descriptors, and %d before", softtest.Descriptors(t), before)
		}
	}
}

func serviceName(t testing.TB, address string) (name string, service uint64) {
	t.Helper()
	service, err := strconv.ParseUint(address[strings.LastIndex(address, ":")+1:], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return shm.ServiceName(netip.MustParseAddr("127.0.0.1"), service), service
}

// TestShmStrangeDialers: a dialer that violates the handshake never reaches the program, or its Accept returns
// an error.
func TestShmStrangeDialers(t *testing.T) {
	accepted := make(chan error, 1)
	var heard, reported atomic.Int32
	s, b := newStrange(t), softtest.NewEndWith(t, "shm", 16, 4096, hca.Options{Refused: func(string, error) { reported.Add(1) }})
	l, err := b.A.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		heard.Add(1)
		qp, err := b.A.NewQP(hca.QPConfig{PD: b.PD, SendCQ: b.SendCQ, RecvCQ: b.RecvCQ, SendDepth: 4, RecvDepth: 4})
		if err != nil {
			t.Error(err)
			return false
		}
		go func() {
			err := r.Accept(context.Background(), qp, hca.ConnParams{})
			if cerr := qp.Close(); cerr != nil {
				t.Error(cerr)
			}
			accepted <- err
		}()
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	name, service := serviceName(t, l.Addr())
	request := sharedmem.Hello(sharedmem.HelloRequest, service, 4, nil)
	ready := sharedmem.Hello(sharedmem.HelloReady, 0, 4, nil)
	dial := func() *shm.Sock {
		t.Helper()
		sock, err := shm.Dial(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		_ = sock.SetDeadline(time.Now().Add(30 * time.Second))
		return sock
	}
	// over reads until the listener has hung up.
	over := func(what string, sock *shm.Sock) {
		t.Helper()
		for {
			var message [4096]byte
			_, fds, err := sock.Recv(message[:])
			for _, fd := range fds {
				shm.CloseFD(fd)
			}
			if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, shm.ErrAgain) {
				t.Fatalf("%s: the listener does not hang up", what)
			}
			if err != nil {
				_ = sock.Close()
				return
			}
		}
	}
	// Once correctly, as the reference for the others.
	sock := dial()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(sock.Send(request, s.doorbell, s.directory))
	var message [4096]byte
	n, fds, err := sock.Recv(message[:])
	if err != nil || len(fds) != 5 || n < sharedmem.HelloFixed || message[12] != sharedmem.HelloAccept {
		t.Fatalf("the answer has %d bytes and %d descriptors, %v", n, len(fds), err)
	}
	for _, fd := range fds {
		shm.CloseFD(fd)
	}
	must(sock.Send(ready))
	must(<-accepted)
	over("as it should be", sock)

	before := softtest.Descriptors(t)
	other := saying{"another service", sharedmem.Hello(sharedmem.HelloRequest, service+1, 4, nil), []int{s.doorbell, s.directory}}
	grouped := saying{"a group in the request", sharedmem.GroupedHello(sharedmem.HelloRequest, service, 0, true), []int{s.doorbell, s.directory, s.page, s.doorbell}}
	said := append(s.wrong(request, s.doorbell, s.directory), other, grouped)
	for _, w := range said {
		sock := dial()
		must(sock.Send(w.message, w.fds...))
		over(w.what, sock)
		if w.what == "descriptor 1 is a file's" { // which is checked when it is needed
			if err := <-accepted; err == nil {
				t.Errorf("%s: accepted", w.what)
			}
		}
	}
	if n := heard.Load(); n != 2 { // the first one, and one more that was checked late
		t.Errorf("the program heard of %d requests", n)
	}
	if n := int(reported.Load()); n != len(said)-1 {
		t.Errorf("%d refusals were reported, and %d requests were wrong", n, len(said)-1)
	}
	for _, w := range append(append(s.wrong(ready), s.wrongGroups(sharedmem.HelloReady)...), saying{what: "nothing"}) {
		sock := dial()
		must(sock.Send(request, s.doorbell, s.directory))
		if w.message != nil {
			must(sock.Send(w.message, w.fds...))
		} else {
			_ = sock.Close()
		}
		if err := <-accepted; err == nil {
			t.Errorf("in place of the last word, %s: accepted", w.what)
		}
		if w.message != nil {
			over(w.what, sock)
		}
	}
	settled(t, before)
	if err := b.QP.Close(); err != nil {
		t.Error(err)
	}
}

// TestShmStrangeListeners: a connect to a listener that violates the handshake fails.
func TestShmStrangeListeners(t *testing.T) {
	s, a := newStrange(t), softtest.NewEnd(t, "shm", 16, 4096)
	accept := sharedmem.Hello(sharedmem.HelloAccept, 0, 4, []byte("hello"))
	list := append(s.wrong(accept, s.memory, s.doorbell, s.directory), s.wrongGroups(sharedmem.HelloAccept, s.memory, s.doorbell, s.directory)...)
	list = append(list,
		saying{"memory of another size", accept, []int{s.directory, s.doorbell, s.directory}},
		saying{"a directory of another size", accept, []int{s.memory, s.doorbell, s.memory}},
		saying{"a request", sharedmem.Hello(sharedmem.HelloRequest, 0, 4, nil), []int{s.doorbell, s.directory}},
		saying{"its last word", sharedmem.Hello(sharedmem.HelloReady, 0, 4, nil), nil},
		saying{"a reject with a descriptor", sharedmem.Hello(sharedmem.HelloReject, 0, 4, nil), []int{s.doorbell}},
		saying{what: "nothing"},
	)
	name, address := "", ""
	var ln *shm.Listener
	for service := 40000; ln == nil; service++ {
		address = "127.0.0.1:" + strconv.Itoa(service)
		name, _ = serviceName(t, address)
		var err error
		if ln, err = shm.Listen(name); err != nil && !errors.Is(err, shm.ErrInUse) {
			t.Fatal(err)
		}
	}
	defer ln.Close()
	connect := func(answer saying) error {
		qp, err := a.A.NewQP(hca.QPConfig{PD: a.PD, SendCQ: a.SendCQ, RecvCQ: a.RecvCQ, SendDepth: 4, RecvDepth: 4})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- qp.Connect(context.Background(), address, hca.ConnParams{}) }()
		sock, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		var message [4096]byte
		_, fds, err := sock.Recv(message[:])
		if err != nil || len(fds) != 2 {
			t.Fatalf("a request with %d descriptors, %v", len(fds), err)
		}
		for _, fd := range fds {
			shm.CloseFD(fd)
		}
		if answer.message != nil {
			if err := sock.Send(answer.message, answer.fds...); err != nil {
				t.Fatal(err)
			}
			// The other side's last message, which brings its board, or its end.
			_, fds, err := sock.Recv(message[:])
			if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, shm.ErrGone) || len(fds) != 0 && len(fds) != 2 {
				t.Errorf("%s: it was answered with %d descriptors, %v", answer.what, len(fds), err)
			}
			shm.CloseFDs(fds)
		}
		_ = sock.Close()
		err = <-done
		if cerr := qp.Close(); cerr != nil {
			t.Error(cerr)
		}
		return err
	}
	for _, right := range []saying{
		{"as it should be", accept, []int{s.memory, s.doorbell, s.directory}},
		{"the last slot", sharedmem.GroupedHello(sharedmem.HelloAccept, 0, group.Most-1, false), []int{s.memory, s.doorbell, s.directory, s.page, s.doorbell}},
		{"the last slot of a board", sharedmem.GroupedHello(sharedmem.HelloAccept, 0, group.Most-1, true), []int{s.memory, s.doorbell, s.directory, s.page, s.doorbell}},
	} {
		if err := connect(right); err != nil {
			t.Fatal(right.what, err)
		}
	}
	before := softtest.Descriptors(t)
	for _, w := range list {
		if err := connect(w); err == nil {
			t.Errorf("%s: connected", w.what)
		}
	}
	settled(t, before)
	if err := a.QP.Close(); err != nil {
		t.Error(err)
	}
}
