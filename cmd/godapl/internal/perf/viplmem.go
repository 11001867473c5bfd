package perf

import (
	"fmt"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma/mem"
)

// viplMemory is one registered block, as a program of VIPL has it: descriptors and buffers.
type viplMemory struct {
	block  []byte
	used   int
	handle vipl.MemHandle
	own    []byte // source of sends and writes, target of reads
	shared []byte // the peer writes to it
}

// viplLine is the room of a descriptor: a control segment and two others.
const viplLine = vipl.DescriptorAlignment

// register makes the block for everything that the configuration needs.
func (m *viplMemory) register(nic vipl.NICHandle, c *config) error {
	data, receives := c.Depth*c.stride(), c.recvs()*(viplLine+c.stride())
	m.block = vipl.Memalign(4096, 2*data+receives+(c.Depth+3)*viplLine)
	for i := range m.block { // touch the pages
		m.block[i] = byte(i)
	}
	attrs := vipl.MemAttributes{EnableRdmaWrite: true, EnableRdmaRead: true}
	if ret := vipl.RegisterMem(nic, m.block, uint64(len(m.block)), &attrs, &m.handle); ret != vipl.Success {
		return fmt.Errorf("registering %d bytes: %w", len(m.block), ret)
	}
	m.own, m.shared = m.room(data), m.room(data)
	return nil
}

// room is n bytes that nothing else uses, aligned for descriptors.
func (m *viplMemory) room(n int) []byte {
	b := m.block[m.used : m.used+n : m.used+n]
	m.used += (n + viplLine - 1) &^ (viplLine - 1)
	return b
}

// remote is the shared memory, for the peer.
func (m *viplMemory) remote(c *config) mem.Remote {
	return mem.Remote{Key: mem.Key(m.handle), Addr: vipl.AddressOf(m.shared), Length: uint64(len(m.shared))}
}

// descriptor makes one with these segments, the data segment last.
func (m *viplMemory) descriptor(control uint16, segments ...vipl.DescriptorSegment) *vipl.Descriptor {
	b := m.room(viplLine)
	clear(b)
	d := vipl.DescriptorAt(b)
	d.CS.Control, d.CS.SegCount = control, uint16(len(segments))
	d.CS.Length = segments[len(segments)-1].Local.Length
	copy(vipl.SegmentsOf(b), segments)
	return d
}

// data is the data segment of the first n bytes of b.
func (m *viplMemory) data(b []byte, n int) vipl.DescriptorSegment {
	return vipl.DescriptorSegment{Local: vipl.DataSegment{Data: vipl.AddressOf(b), Handle: m.handle, Length: uint32(n)}}
}

// viplFar is the address segment of the peer's memory from off on.
func viplFar(far *mem.Remote, off int) (s vipl.DescriptorSegment) {
	*s.Remote() = vipl.AddressSegment{Data: far.Addr + uint64(off), Handle: vipl.MemHandle(far.Key)}
	return s
}

// receive makes the descriptor of a receive. One for immediate data only has a buffer, too.
func (m *viplMemory) receive(size int) *vipl.Descriptor {
	return m.descriptor(vipl.ControlOpSendrecv, m.data(m.room(size), size))
}

// operation makes the descriptor of the configured operation at a place.
func (m *viplMemory) operation(c *config, place int, far *mem.Remote) *vipl.Descriptor {
	off := place * c.stride()
	local := m.data(m.own[off:], c.Size)
	switch c.Op {
	case "send":
		return m.descriptor(vipl.ControlOpSendrecv, local)
	case "write":
		return m.descriptor(vipl.ControlOpRdmawrite, viplFar(far, off), local)
	default:
		return m.descriptor(vipl.ControlOpRdmaread, viplFar(far, off), local)
	}
}

// readByte makes the descriptor of a read of one byte.
func (m *viplMemory) readByte(far *mem.Remote) *vipl.Descriptor {
	return m.descriptor(vipl.ControlOpRdmaread, viplFar(far, 0), m.data(m.own, 1))
}
