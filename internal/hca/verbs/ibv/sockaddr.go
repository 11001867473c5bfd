package ibv

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"structs"
)

// Linux's numbers of address families.
const (
	familyINET  = 2
	familyINET6 = 10
)

// sockaddr is struct sockaddr_storage on Linux: the family, then the members of
// sockaddr_in (port, address) or sockaddr_in6 (port, flow, address, scope).
type sockaddr struct {
	_      structs.HostLayout
	_      [0]uint64
	family uint16
	data   [126]byte
}

// set writes an address. What is not a valid address becomes the family 0.
func (s *sockaddr) set(a netip.AddrPort) error {
	*s = sockaddr{}
	binary.BigEndian.PutUint16(s.data[0:], a.Port())
	ip := a.Addr().Unmap()
	switch {
	case ip.Is4():
		s.family = familyINET
		b := ip.As4()
		copy(s.data[2:], b[:])
	case ip.Is6():
		scope, err := scopeID(ip.Zone())
		if err != nil {
			return err
		}
		s.family = familyINET6
		b := ip.As16()
		copy(s.data[6:], b[:])
		binary.NativeEndian.PutUint32(s.data[22:], scope)
	}
	return nil
}

func (s *sockaddr) addrPort() netip.AddrPort {
	port := binary.BigEndian.Uint16(s.data[0:])
	switch s.family {
	case familyINET:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(s.data[2:6])), port)
	case familyINET6:
		ip := netip.AddrFrom16([16]byte(s.data[6:22]))
		if scope := binary.NativeEndian.Uint32(s.data[22:]); scope != 0 {
			ip = ip.WithZone(zone(scope))
		}
		return netip.AddrPortFrom(ip, port)
	}
	return netip.AddrPort{}
}

// scopeID is the index of the interface that a zone names, by name or number.
func scopeID(zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	i, err := net.InterfaceByName(zone)
	if err != nil {
		return 0, err
	}
	return uint32(i.Index), nil
}

func zone(scope uint32) string {
	if i, err := net.InterfaceByIndex(int(scope)); err == nil {
		return i.Name
	}
	return strconv.FormatUint(uint64(scope), 10)
}
