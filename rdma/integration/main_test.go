package integration_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is also the main function of the peer process that tests start: this
// binary, run again.
func TestMain(m *testing.M) {
	if address := os.Getenv(peerVariable); address != "" {
		os.Exit(runPeer(address))
	}
	goleak.VerifyTestMain(m)
}
