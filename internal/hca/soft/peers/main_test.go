package peers_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait for something that must happen. It decides
// nothing but how long a failing test takes.
const patience = 8 * time.Second
