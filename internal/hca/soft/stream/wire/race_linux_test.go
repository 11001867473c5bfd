package wire

import (
	"io"
	"net"
	"testing"
)

// What happened before a program sent bytes through package net happened before they arrive at a connection of
// this library, and the other way around. Only the race detector can tell.
func TestBytesOrder(t *testing.T) {
	ours, theirs := socketPair(t)
	there, back := 0, 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		there = 1
		var b [1]byte
		if _, err := theirs.Write(b[:]); err != nil {
			t.Error(err)
		}
		if _, err := theirs.Read(b[:]); err != nil || back != 1 {
			t.Errorf("back is %d, err %v", back, err)
		}
	}()
	var b [1]byte
	for {
		n, err := RecvSocket(ours, b[:])
		if n == 1 {
			break
		}
		if err != ErrAgain {
			t.Fatal(err)
		}
	}
	if there != 1 {
		t.Error("the byte overtook what came before it")
	}
	back = 1
	if _, err := SendSocket(ours, [][]byte{b[:]}, new(Vector), false, false); err != nil {
		t.Fatal(err)
	}
	<-done
}

// TestSocketsSend: pieces arrive whole and in order, whichever call sends them.
func TestSocketsSend(t *testing.T) {
	ours, theirs := socketPair(t)
	var got [6]byte
	for _, watched := range []bool{false, true} {
		for _, list := range [][][]byte{{[]byte("abcdef")}, {[]byte("ab"), []byte("cdef")}} {
			if n, err := SendSocket(ours, list, new(Vector), true, watched); n != len(got) || err != nil {
				t.Fatalf("watched %v, %d pieces: sent %d, %v", watched, len(list), n, err)
			}
			if _, err := io.ReadFull(theirs, got[:]); err != nil || string(got[:]) != "abcdef" {
				t.Errorf("watched %v, %d pieces: %q, %v", watched, len(list), got, err)
			}
		}
	}
}

// socketPair is a connection of which this side has taken over one end.
func socketPair(t *testing.T) (ours int, theirs net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	theirs, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	ours, err = DupSocket(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { CloseSocket(ours) })
	return ours, theirs
}
