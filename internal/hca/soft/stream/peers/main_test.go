package peers_test

import (
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Most tests wait for a stream, not for a processor. A -parallel on the command line comes later and takes
	// precedence.
	_ = flag.Set("test.parallel", "8")
	goleak.VerifyTestMain(m)
}

// patience bounds every wait for something that must happen. It decides only how long a failing test takes.
const patience = 8 * time.Second
