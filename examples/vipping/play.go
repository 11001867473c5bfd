package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/godapl/godapl/compat/vipl"
)

// placeSize is how many bytes tell the client where the server's memory is: address, length
// and handle.
const placeSize = 16

// serve answers every message with itself, until the client has written into the memory that
// the first message lends it.
func (s *side) serve() error {
	local, err := s.anyAddress()
	if err != nil {
		return err
	}
	for i := range s.recv {
		if err := s.postRecv(i); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "waiting at %v\n", net.IP(local.Host()))
	wait := uint32(vipl.Infinite)
	if s.o.host != "" { // the client is in this process, and comes at once or not at all
		wait = timeout
	}
	var conn vipl.ConnHandle
	var remote vipl.NetAddress
	if ret := vipl.ConnectWait(s.nic, local, wait, &remote, nil, &conn); ret != vipl.Success {
		return fmt.Errorf("VipConnectWait: %w", ret)
	}
	if ret := vipl.ConnectAccept(conn, s.vi); ret != vipl.Success {
		return fmt.Errorf("VipConnectAccept: %w", ret)
	}
	fmt.Fprintf(s.out, "connected with %s\n", remote.Discriminator())
	for {
		i, err := s.next()
		if err != nil {
			return err
		}
		desc := s.recv[i]
		if desc.CS.Status&vipl.StatusOpMask == vipl.StatusOpRemoteRDMAWrite {
			n := desc.CS.ImmediateData
			if n > uint32(len(s.lent)) {
				return fmt.Errorf("the client says that it has written %d bytes, and has %d", n, len(s.lent))
			}
			_, err := fmt.Fprintf(s.out, "the client has written: %s\n", s.lent[:n])
			return errors.Join(err, s.untilGone())
		}
		n := copy(s.going, s.coming[i][:desc.CS.Length])
		if n == 0 { // the client asks where the memory is
			binary.BigEndian.PutUint64(s.going, vipl.AddressOf(s.lent))
			binary.BigEndian.PutUint32(s.going[8:], uint32(len(s.lent)))
			binary.BigEndian.PutUint32(s.going[12:], uint32(s.handle))
			n = placeSize
		}
		if err := s.postRecv(i); err != nil {
			return err
		}
		if err := s.sendOff(n); err != nil {
			return err
		}
	}
}

// untilGone waits until the client has disconnected, which flushes the other receive: it may
// still read this side's memory.
func (s *side) untilGone() error {
	var done *vipl.Descriptor
	ret := vipl.RecvWait(s.vi, timeout, &done)
	if ret != vipl.DescriptorError || done.CS.Status&vipl.StatusDescFlushedError == 0 {
		return fmt.Errorf("VipRecvWait: %w, and not with the client's end", ret)
	}
	return nil
}

// anyAddress is where the server waits.
func (s *side) anyAddress() (*vipl.NetAddress, error) {
	if s.o.host != "" {
		return s.address(s.o.host)
	}
	return s.address("")
}

// call connects, plays, writes, and reads what it has written.
func (s *side) call() error {
	local, err := s.address("")
	if err != nil {
		return err
	}
	remote, err := s.address(s.o.host)
	if err != nil {
		return err
	}
	for i := range s.recv {
		if err := s.postRecv(i); err != nil {
			return err
		}
	}
	for start := time.Now(); ; {
		ret := vipl.ConnectRequest(s.vi, local, remote, timeout, nil)
		if ret == vipl.Success {
			break
		}
		if ret != vipl.NoMatch || time.Since(start) > timeout*time.Millisecond {
			return fmt.Errorf("VipConnectRequest to %v, and the server tells where it waits: %w", net.IP(remote.Host()), ret)
		}
		// The server starts at its leisure.
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.pingPong(); err != nil {
		return err
	}
	return s.writeAndRead()
}

func (s *side) pingPong() error {
	copy(s.going, bytes.Repeat([]byte("ping"), s.o.size/4+1))
	start := time.Now()
	for range s.o.n {
		if err := s.sendOff(s.o.size); err != nil {
			return err
		}
		i, err := s.next()
		if err != nil {
			return err
		}
		if got := s.coming[i][:s.recv[i].CS.Length]; !bytes.Equal(got, s.going[:s.o.size]) {
			return fmt.Errorf("the answer has %d bytes and differs", len(got))
		}
		if err := s.postRecv(i); err != nil {
			return err
		}
	}
	each := time.Since(start) / time.Duration(max(s.o.n, 1))
	fmt.Fprintf(s.out, "%d messages of %d bytes, there and back in %v each\n", s.o.n, s.o.size, each)
	return nil
}

func (s *side) writeAndRead() error {
	if err := s.sendOff(0); err != nil { // where is the memory?
		return err
	}
	i, err := s.next()
	if err != nil {
		return err
	}
	if n := s.recv[i].CS.Length; n != placeSize {
		return fmt.Errorf("the place of the server's memory has %d bytes, not %d", n, placeSize)
	}
	place := s.coming[i]
	remoteAddr, remoteHandle := binary.BigEndian.Uint64(place), vipl.MemHandle(binary.BigEndian.Uint32(place[12:]))
	text := "hello from a program of 1998"
	n := uint32(copy(s.going, text))

	desc := s.send
	desc.CS = vipl.ControlSegment{SegCount: 2, Control: vipl.ControlOpRdmawrite | vipl.ControlImmediate, ImmediateData: n, Length: n}
	desc.DS[0].Remote().Data = remoteAddr
	desc.DS[0].Remote().Handle = remoteHandle
	desc.DS[1].Local = vipl.DataSegment{Data: vipl.AddressOf(s.going), Handle: s.handle, Length: n}
	if err := s.request(); err != nil {
		return err
	}

	desc.CS = vipl.ControlSegment{SegCount: 2, Control: vipl.ControlOpRdmaread | vipl.ControlQfence, Length: n}
	desc.DS[1].Local.Data = vipl.AddressOf(s.lent)
	if err := s.request(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "read back: %s\n", s.lent[:n])
	return err
}
