package vipl_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/vipl"
)

// exampleSide is common to both sides of the example: a VI, and memory with a descriptor and a
// buffer of 64 bytes behind it.
type exampleSide struct {
	nic     vipl.NICHandle
	ptag    vipl.ProtectionHandle
	vi      vipl.VIHandle
	memory  []byte
	handle  vipl.MemHandle
	address *vipl.NetAddress
}

func newExampleSide(discriminator string) *exampleSide {
	var s exampleSide
	vipl.OpenNic("soft-loop", &s.nic)
	vipl.CreatePtag(s.nic, &s.ptag)
	s.memory = vipl.Memalign(vipl.DescriptorAlignment, vipl.DescriptorAlignment+64)
	vipl.RegisterMem(s.nic, s.memory, uint64(len(s.memory)), &vipl.MemAttributes{Ptag: s.ptag}, &s.handle)
	vi := vipl.VIAttributes{ReliabilityLevel: vipl.ServiceReliableDelivery, MaxTransferSize: 64, Ptag: s.ptag}
	vipl.CreateVi(s.nic, &vi, 0, 0, &s.vi)
	var nic vipl.NICAttributes
	vipl.QueryNic(s.nic, &nic)
	s.address = vipl.MakeNetAddress(nic.LocalNicAddress, []byte(discriminator))
	return &s
}

func (s *exampleSide) buffer() []byte { return s.memory[vipl.DescriptorAlignment:] }

// message is a descriptor for the first n bytes of the buffer.
func (s *exampleSide) message(n int) *vipl.Descriptor {
	desc := vipl.DescriptorAt(s.memory)
	desc.CS = vipl.ControlSegment{SegCount: 1, Control: vipl.ControlOpSendrecv, Length: uint32(n)}
	desc.DS[0].Local = vipl.DataSegment{Data: vipl.AddressOf(s.buffer()), Handle: s.handle, Length: uint32(n)}
	return desc
}

// A server and its client, which sends a message. Programs check what each call returns.
func Example() {
	server, client := newExampleSide("server"), newExampleSide("client")
	defer vipl.CloseNic(server.nic)
	defer vipl.CloseNic(client.nic)
	vipl.PostRecv(server.vi, server.message(64), server.handle) // before the client can send
	accepted := make(chan vipl.Return)
	go func() {
		var from vipl.NetAddress
		var request vipl.ConnHandle
		vipl.ConnectWait(server.nic, server.address, vipl.Infinite, &from, nil, &request)
		accepted <- vipl.ConnectAccept(request, server.vi)
	}()
	ret := vipl.NoMatch
	for ret == vipl.NoMatch { // the server does not wait yet
		ret = vipl.ConnectRequest(client.vi, client.address, server.address, vipl.Infinite, nil)
	}
	fmt.Println(ret == vipl.Success, <-accepted == vipl.Success)

	var done *vipl.Descriptor
	vipl.PostSend(client.vi, client.message(copy(client.buffer(), "hello")), client.handle)
	vipl.SendWait(client.vi, vipl.Infinite, &done)
	vipl.RecvWait(server.vi, vipl.Infinite, &done)
	fmt.Printf("%s\n", server.buffer()[:done.CS.Length])
	vipl.ErrorCallback(server.nic, nil, func(any, *vipl.ErrorDescriptor) {}) // the client's end is expected
	vipl.Disconnect(client.vi)
	vipl.Disconnect(server.vi)
	// Output:
	// true true
	// hello
}
