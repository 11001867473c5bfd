package ibv

import (
	"net"
	"net/netip"
	"testing"
)

func TestSockaddr(t *testing.T) {
	loop := ""
	if ifs, err := net.Interfaces(); err == nil && len(ifs) > 0 {
		loop = ifs[0].Name
	}
	for in, want := range map[string]string{
		"10.77.1.1:4711":           "10.77.1.1:4711",
		"0.0.0.0:0":                "0.0.0.0:0",
		"[::ffff:10.77.1.1]:80":    "10.77.1.1:80",
		"[2001:db8::1]:65535":      "[2001:db8::1]:65535",
		"[::]:1":                   "[::]:1",
		"[fe80::1%4294967295]:7":   "[fe80::1%4294967295]:7",
		"[fe80::1%" + loop + "]:7": "[fe80::1%" + loop + "]:7",
	} {
		if in == "[fe80::1%]:7" {
			continue
		}
		var s sockaddr
		if err := s.set(netip.MustParseAddrPort(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := s.addrPort(); got != netip.MustParseAddrPort(want) {
			t.Errorf("%s comes back as %s, want %s", in, got, want)
		}
	}
}

// The bytes are those of struct sockaddr_in and sockaddr_in6.
func TestSockaddrBytes(t *testing.T) {
	var s sockaddr
	if err := s.set(netip.MustParseAddrPort("1.2.3.4:258")); err != nil {
		t.Fatal(err)
	}
	if s.family != 2 || string(s.data[:6]) != "\x01\x02\x01\x02\x03\x04" {
		t.Errorf("family %d, then %x", s.family, s.data[:6])
	}
	if err := s.set(netip.MustParseAddrPort("[fe80::5%3]:258")); err != nil {
		t.Fatal(err)
	}
	if s.family != 10 || string(s.data[:26]) !=
		"\x01\x02"+"\x00\x00\x00\x00"+"\xfe\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05"+"\x03\x00\x00\x00" {
		t.Errorf("family %d, then %x", s.family, s.data[:26])
	}
	if err := s.set(netip.MustParseAddrPort("[fe80::5%no-such-interface]:1")); err == nil {
		t.Error("a zone that does not exist is taken")
	}
	if err := s.set(netip.AddrPort{}); err != nil || s.family != 0 || s.addrPort().IsValid() {
		t.Errorf("no address: %v, family %d, %v", err, s.family, s.addrPort())
	}
}
