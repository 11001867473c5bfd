package main

// #include "shim.h"
import "C"

import (
	"cmp"
	"encoding/binary"
	"net"
	"net/netip"
	"unsafe"

	"github.com/godapl/godapl/compat/dat"
)

// putAddress writes an address and a port in C's form; port 0 stands for the port of the address. Anything but an IP address
// becomes the address of this machine, since programs expect one. An address that is there
// already is left as it is: the program may be reading it, since queries give the same pointer.
func putAddress(to *C.struct_sockaddr_storage, a dat.IAAddressPtr, port dat.PortQual) {
	var s C.struct_sockaddr_storage
	fillAddress(&s, a, port)
	if *to != s {
		*to = s
	}
}

// fillAddress is putAddress for memory that is zero.
func fillAddress(to *C.struct_sockaddr_storage, a dat.IAAddressPtr, port dat.PortQual) {
	ip := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	var zone string
	switch a := a.(type) {
	case *net.IPAddr:
		if x, ok := netip.AddrFromSlice(a.IP); ok {
			ip, zone = x.Unmap(), a.Zone
		}
	case *net.TCPAddr:
		if x, ok := netip.AddrFromSlice(a.IP); ok {
			ip, zone = x.Unmap(), a.Zone
		}
		port = cmp.Or(port, dat.PortQual(a.Port))
	}
	if ip.Is4() {
		s := (*C.struct_sockaddr_in)(unsafe.Pointer(to))
		s.sin_family = C.AF_INET
		s.sin_port = C.in_port_t(networkOrder(uint16(port)))
		*(*[4]byte)(unsafe.Pointer(&s.sin_addr)) = ip.As4()
		return
	}
	s := (*C.struct_sockaddr_in6)(unsafe.Pointer(to))
	s.sin6_family = C.AF_INET6
	s.sin6_port = C.in_port_t(networkOrder(uint16(port)))
	*(*[16]byte)(unsafe.Pointer(&s.sin6_addr)) = ip.As16()
	if i, err := net.InterfaceByName(zone); zone != "" && err == nil {
		s.sin6_scope_id = C.uint32_t(i.Index)
	}
}

// addressAt reads an address. It returns nil for NULL and for an unknown family.
func addressAt(s *C.struct_sockaddr) dat.IAAddressPtr {
	if s == nil {
		return nil
	}
	switch s.sa_family {
	case C.AF_INET:
		s4 := (*C.struct_sockaddr_in)(unsafe.Pointer(s))
		ip := *(*[4]byte)(unsafe.Pointer(&s4.sin_addr))
		return &net.TCPAddr{IP: ip[:], Port: int(networkOrder(uint16(s4.sin_port)))}
	case C.AF_INET6:
		s6 := (*C.struct_sockaddr_in6)(unsafe.Pointer(s))
		ip := *(*[16]byte)(unsafe.Pointer(&s6.sin6_addr))
		a := &net.TCPAddr{IP: ip[:], Port: int(networkOrder(uint16(s6.sin6_port)))}
		if s6.sin6_scope_id != 0 {
			if i, err := net.InterfaceByIndex(int(s6.sin6_scope_id)); err == nil {
				a.Zone = i.Name
			}
		}
		return a
	}
	return nil
}

// networkOrder converts between the byte order of this machine and that of the network.
func networkOrder(n uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return binary.NativeEndian.Uint16(b[:])
}
