package shm

import "testing"

func TestMapsAll(t *testing.T) {
	for file, want := range map[string]bool{
		"         0          0 4294967295\n":                                   true,
		"0 0 1000\n1000 100000 1\n1001 1001 4294966294\n":                      true,
		"         0       1000          1\n":                                   false,
		"         0       1000          1\n         1     100000      65536\n": false,
		"     65534      12345          1\n":                                   false,
		"":                                                                     false,
		"0 0 4294967296\n":                                                     false,
		"0 0\n":                                                                false,
		"0 0 many\n":                                                           false,
		"0 0 4294967294\n":                                                     false,
	} {
		if got := mapsAll(file); got != want {
			t.Errorf("%q: %v", file, got)
		}
	}
}

func TestOverflowUser(t *testing.T) {
	for file, want := range map[string]int{"65534\n": 65534, "1000\n": 1000, "": 65534, "none": 65534} {
		if got := overflow(file); got != want {
			t.Errorf("%q: %d", file, got)
		}
	}
}
