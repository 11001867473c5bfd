package quantity

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTexts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Number(0), "0"}, {Number(999), "999"}, {Number(1.25), "1.2"}, {Number(1000), "1.0 k"}, {Number(1.5e6), "1.5 M"}, {Number(3e21), "3000.0 E"},
		{Rate(0), ""}, {Rate(0.5), "0.5"}, {Rate(2e9), "2.0 G"},
		{Bytes(0), "0 B"}, {Bytes(1023), "1023 B"}, {Bytes(3 << 20), "3.0 MiB"},
		{Idle(999 * time.Millisecond), ""}, {Idle(90 * time.Second), "1m30s"},
		{Latency(0), ""}, {Latency(80), "80ns"}, {Latency(1024), "1.0 µs"}, {Latency(131072), "131 µs"}, {Latency(2 * time.Millisecond), "2.0 ms"}, {Latency(34 * time.Second), "34.0 s"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
