package hostport_test

import (
	"errors"
	"math"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

func TestSplit(t *testing.T) {
	for address, want := range map[string]struct {
		host    string
		service uint64
	}{
		"host:7471":                 {"host", 7471},
		":0":                        {"", 0},
		"[2001:db8::1]:7471":        {"2001:db8::1", 7471},
		"loop:18446744073709551615": {"loop", math.MaxUint64},
	} {
		host, service, err := hostport.Split("connect", address)
		if err != nil || host != want.host || service != want.service {
			t.Errorf("%s is %q, %d, %v, want %v", address, host, service, err, want)
		}
		if back := hostport.Join(host, service); back != address {
			t.Errorf("%s joined again is %s", address, back)
		}
	}
	for _, address := range []string{"", "host", "host:", "host:http", "host:-1", "host:18446744073709551616", "2001:db8::1:7471", "[::1:7471"} {
		_, _, err := hostport.Split("connect", address)
		if !errors.Is(err, hca.BadAddress) || !strings.Contains(err.Error(), "an address looks like") {
			t.Errorf("%q: %v, want an error that says what an address looks like", address, err)
		}
	}
}

func TestLocal(t *testing.T) {
	for host, want := range map[string]string{"": "", "localhost": "", "loop": "", "127.0.0.1": "127.0.0.1", "127.9.9.9": "127.9.9.9",
		"::1": "::1", "0.0.0.0": "0.0.0.0", "::ffff:127.0.0.1": "127.0.0.1"} {
		if got, local := hostport.Local(host); !local || got != want {
			t.Errorf("%q: %q, %v, want %q of this machine", host, got, local, want)
		}
	}
	for _, host := range []string{"192.0.2.1", "2001:db8::1", "host.example", "127.0.0.1.example"} { // addresses for documentation
		if got, local := hostport.Local(host); local || got != "" {
			t.Errorf("%q: %q is taken for an address of this machine", host, got)
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		if _, local := hostport.Local(n.IP.String()); !local {
			t.Errorf("%v of this machine's interfaces is taken for another host's", n.IP)
		}
	}
}
