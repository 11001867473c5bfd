package main

import (
	"fmt"
	"io"
	"net/netip"

	"github.com/godapl/godapl/compat/vipl"
)

const (
	// maxTransfer is the longest message, in bytes. The two VIs must agree.
	maxTransfer = 32768
	// descSize is the memory of a descriptor with two segments.
	descSize = vipl.DescriptorAlignment
	// timeout is for what the peer does at once, in milliseconds.
	timeout = 10000
)

// side is a NIC with a VI and registered memory: four descriptors, and behind them a buffer
// for messages that come, one for messages that go, and one that the peer may write.
type side struct {
	o   *options
	out io.Writer

	nic    vipl.NICHandle
	ptag   vipl.ProtectionHandle
	vi     vipl.VIHandle
	memory []byte
	handle vipl.MemHandle
	send   *vipl.Descriptor
	recv   [2]*vipl.Descriptor
	coming [2][]byte
	going  []byte
	lent   []byte
}

// play opens a side, has it do its part, and closes it.
func play(o *options, out io.Writer, part func(*side) error) error {
	s := &side{o: o, out: out}
	if ret := vipl.OpenNic(o.nic, &s.nic); ret != vipl.Success {
		return fmt.Errorf("VipOpenNic of %s: %w", o.nic, ret)
	}
	defer vipl.CloseNic(s.nic)
	if err := s.open(); err != nil {
		return err
	}
	if err := part(s); err != nil {
		return err
	}
	return s.close()
}

func (s *side) open() error {
	// The peer's end is expected; so nothing is to be said about it.
	ret := vipl.ErrorCallback(s.nic, nil, func(_ any, d *vipl.ErrorDescriptor) {
		if d.ErrorCode != vipl.ErrorConnLost {
			fmt.Fprintln(s.out, d.ErrorCode)
		}
	})
	if ret != vipl.Success {
		return fmt.Errorf("VipErrorCallback: %w", ret)
	}
	if ret = vipl.NSInit(s.nic, nil); ret != vipl.Success {
		return fmt.Errorf("VipNSInit: %w", ret)
	}
	if ret = vipl.CreatePtag(s.nic, &s.ptag); ret != vipl.Success {
		return fmt.Errorf("VipCreatePtag: %w", ret)
	}
	s.memory = vipl.Memalign(vipl.DescriptorAlignment, 3*descSize+4*maxTransfer)
	memAttrs := vipl.MemAttributes{Ptag: s.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}
	ret = vipl.RegisterMem(s.nic, s.memory, uint64(len(s.memory)), &memAttrs, &s.handle)
	if ret != vipl.Success {
		return fmt.Errorf("VipRegisterMem: %w", ret)
	}
	s.send = vipl.DescriptorAt(s.memory)
	buffers := s.memory[3*descSize:]
	for i := range s.recv {
		s.recv[i] = vipl.DescriptorAt(s.memory[(i+1)*descSize:])
		s.coming[i] = buffers[i*maxTransfer:][:maxTransfer]
	}
	s.going = buffers[2*maxTransfer:][:maxTransfer]
	s.lent = buffers[3*maxTransfer:][:maxTransfer]
	viAttrs := vipl.VIAttributes{
		ReliabilityLevel: vipl.ServiceReliableDelivery,
		MaxTransferSize:  maxTransfer,
		Ptag:             s.ptag,
		EnableRdmaWrite:  true,
		EnableRdmaRead:   true,
	}
	ret = vipl.CreateVi(s.nic, &viAttrs, 0, 0, &s.vi)
	if ret != vipl.Success {
		return fmt.Errorf("VipCreateVi: %w", ret)
	}
	return nil
}

// close ends the connection and takes the flushed descriptors off.
func (s *side) close() error {
	if ret := vipl.Disconnect(s.vi); ret != vipl.Success {
		return fmt.Errorf("VipDisconnect: %w", ret)
	}
	var desc *vipl.Descriptor
	for vipl.RecvDone(s.vi, &desc); desc != nil; {
		vipl.RecvDone(s.vi, &desc)
	}
	if ret := vipl.DestroyVi(s.vi); ret != vipl.Success {
		return fmt.Errorf("VipDestroyVi: %w", ret)
	}
	if ret := vipl.DeregisterMem(s.nic, s.memory, s.handle); ret != vipl.Success {
		return fmt.Errorf("VipDeregisterMem: %w", ret)
	}
	if ret := vipl.DestroyPtag(s.nic, s.ptag); ret != vipl.Success {
		return fmt.Errorf("VipDestroyPtag: %w", ret)
	}
	return vipl.NSShutdown(s.nic).Err()
}

// postRecv posts the i-th receive.
func (s *side) postRecv(i int) error {
	desc := s.recv[i]
	desc.CS = vipl.ControlSegment{SegCount: 1, Control: vipl.ControlOpSendrecv, Length: maxTransfer}
	desc.DS[0].Local = vipl.DataSegment{Data: vipl.AddressOf(s.coming[i]), Handle: s.handle, Length: maxTransfer}
	return vipl.PostRecv(s.vi, desc, s.handle).Err()
}

// sendOff sends the first n bytes of the buffer.
func (s *side) sendOff(n int) error {
	desc := s.send
	desc.CS = vipl.ControlSegment{SegCount: 1, Control: vipl.ControlOpSendrecv, Length: uint32(n)}
	desc.DS[0].Local = vipl.DataSegment{Data: vipl.AddressOf(s.going), Handle: s.handle, Length: uint32(n)}
	return s.request()
}

// request posts the descriptor for sends, and waits for it.
func (s *side) request() error {
	if ret := vipl.PostSend(s.vi, s.send, s.handle); ret != vipl.Success {
		return fmt.Errorf("VipPostSend: %w", ret)
	}
	var done *vipl.Descriptor
	if ret := vipl.SendWait(s.vi, timeout, &done); ret != vipl.Success {
		return fmt.Errorf("VipSendWait: %w, status %#x", ret, s.send.CS.Status)
	}
	return nil
}

// next waits for the next receive, and tells which it is.
func (s *side) next() (i int, err error) {
	var done *vipl.Descriptor
	ret := vipl.RecvWait(s.vi, timeout, &done)
	if ret != vipl.Success {
		return 0, fmt.Errorf("VipRecvWait: %w", ret)
	}
	if done == s.recv[1] {
		i = 1
	}
	return i, nil
}

// address is that of a host, or of this side's NIC.
func (s *side) address(host string) (*vipl.NetAddress, error) {
	discriminator := []byte(s.o.discriminator)
	if host == "" {
		var attrs vipl.NICAttributes
		ret := vipl.QueryNic(s.nic, &attrs)
		return vipl.MakeNetAddress(attrs.LocalNicAddress, discriminator), ret.Err()
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return vipl.MakeNetAddress(ip.AsSlice(), discriminator), nil
	}
	address := vipl.MakeNetAddress(nil, discriminator)
	if ret := vipl.NSGetHostByName(s.nic, host, address, 0); ret != vipl.Success {
		return nil, fmt.Errorf("VipNSGetHostByName of %s: %w", host, ret)
	}
	return address, nil
}
