package vipl

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"net/netip"
	"strconv"
)

// MakeNetAddress makes an address of its two parts, which it copies. C has no such call:
// programs fill the structure.
func MakeNetAddress(host, discriminator []byte) *NetAddress {
	return &NetAddress{uint16(len(host)), uint16(len(discriminator)), append(bytes.Clone(host), discriminator...)}
}

// Host is the NIC's part of the address.
func (a *NetAddress) Host() []byte { return a.HostAddress[:a.HostAddressLen] }

// Discriminator is the program's part.
func (a *NetAddress) Discriminator() []byte {
	return a.HostAddress[a.HostAddressLen : int(a.HostAddressLen)+int(a.DiscriminatorLen)]
}

// valid tells whether an address can be connected to, or waited at.
func (a *NetAddress) valid() bool {
	if a == nil || len(a.HostAddress) < int(a.HostAddressLen)+int(a.DiscriminatorLen) || a.DiscriminatorLen > MaxDiscriminatorLen {
		return false
	}
	switch a.HostAddressLen {
	case 4, 6, 16, 18:
		return true
	}
	return false
}

// place is the address as the native API has it. A discriminator has one of a few thousand
// ports, the same on all hosts, unless the address names a port.
func (a *NetAddress) place() string {
	host := a.Host()
	port := uint64(0)
	switch len(host) {
	case 6, 18:
		port = uint64(binary.BigEndian.Uint16(host[len(host)-2:]))
		host = host[:len(host)-2]
	default:
		h := fnv.New64a()
		h.Write(a.Discriminator())
		port = firstPort + h.Sum64()%ports
	}
	ip, _ := netip.AddrFromSlice(host)
	return netAddress(ip.String(), port)
}

// The ports of discriminators. Linux takes the ports of outgoing connections from 32768 on.
const (
	firstPort = 16384
	ports     = 16384
)

func netAddress(host string, port uint64) string {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.FormatUint(port, 10)
}

// hostBytes is the address of an adapter. Adapters that reach the own host only have that of
// the loopback interface.
func hostBytes(address string) []byte {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return []byte{127, 0, 0, 1}
	}
	return ip.Unmap().AsSlice()
}

// hostOf is the host of a native address, or otherwise.
func hostOf(address string, otherwise []byte) []byte {
	if at, err := netip.ParseAddrPort(address); err == nil {
		return at.Addr().Unmap().AsSlice()
	}
	return otherwise
}
