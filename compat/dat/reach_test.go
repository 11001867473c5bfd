package dat

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestReach compares with the mapping of qualifiers in C's libraries.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		most          uint64
		address, want string
	}{
		{0, "192.0.2.1:184549150", "192.0.2.1:184549150"},
		{65535, "192.0.2.1:65535", "192.0.2.1:65535"},
		{65535, "192.0.2.1:65536", "192.0.2.1:35068"},             // 65536%32001 = 1534
		{65535, "[2001:db8::1]:184527646", "[2001:db8::1]:43414"}, // 9880
		{65535, "[::1]:18446744073709551615", "[::1]:45303"},      // 11769
		{65535, "192.0.2.1:64002", "192.0.2.1:64002"},             // the address has a port
		{65535, ":128004", ":33534"},                              // the first of them
		{65535, ":32000000000000", ":64784"},
		{65535, "not an address", "not an address"}, // the adapter reports the error
		{65535, "192.0.2.1:99999999999999999999", "192.0.2.1:99999999999999999999"},
	} {
		a := &ia{attr: rdma.Attributes{MaxService: c.most}}
		if got := a.reach(c.address); got != c.want {
			t.Errorf("at most %d, %s: %s, want %s", c.most, c.address, got, c.want)
		}
	}
}
