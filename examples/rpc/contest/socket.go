package contest

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// A frame is the number of a lane and the length of what follows, in 4 bytes each. Both sides
// write through a buffer, and flush it when nothing more is there to read: of all ways to use a
// socket that were tried here, this makes the most calls in a second.
const (
	frameHead  = 8
	bufferSize = 64 << 10
)

// overSocket is calls over net.Conn: a goroutine of the server for each connection.
func overSocket(name, network string) Contender {
	c := Contender{Name: name, Against: name, Dial: func(ctx context.Context, address string, s Setting) ([]Client, func(), error) {
		return dialSockets(ctx, network, address, s)
	}}
	c.Serve = func(context.Context, int) (string, func(), error) {
		if network != "unix" {
			return serveSocket(network, "127.0.0.1:0", func() {})
		}
		dir, err := os.MkdirTemp("", "rpc")
		if err != nil {
			return "", nil, err
		}
		return serveSocket(network, filepath.Join(dir, "s"), func() { os.RemoveAll(dir) })
	}
	return c
}

func serveSocket(network, address string, after func()) (string, func(), error) {
	ln, err := net.Listen(network, address)
	if err != nil {
		after()
		return "", nil, err
	}
	var work errgroup.Group
	work.Go(func() error {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return nil // stopped
			}
			work.Go(func() error { return answerFrames(conn) })
		}
	})
	return ln.Addr().String(), func() {
		ln.Close()
		_ = work.Wait()
		after()
	}, nil
}

// answerFrames answers one client until it leaves.
func answerFrames(conn net.Conn) error {
	defer conn.Close()
	in, out := bufio.NewReaderSize(conn, bufferSize), bufio.NewWriterSize(conn, bufferSize)
	frame := make([]byte, frameHead, bufferSize)
	for {
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		frame, err := readFrame(in, frame)
		if err != nil {
			return err
		}
		Answer(frame[frameHead:])
		if _, err := out.Write(frame); err != nil {
			return err
		}
	}
}

func readFrame(in *bufio.Reader, frame []byte) ([]byte, error) {
	if _, err := io.ReadFull(in, frame[:frameHead]); err != nil {
		return frame, err
	}
	n := binary.LittleEndian.Uint32(frame[4:])
	if n < 16 || n > bufferSize-frameHead {
		return frame, errors.New("a frame of a wrong length")
	}
	frame = frame[:frameHead+n]
	_, err := io.ReadFull(in, frame[frameHead:])
	return frame, err
}
