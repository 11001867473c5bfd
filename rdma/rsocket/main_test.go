package rsocket_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(peerVariable); what != "" {
		bePeer(what)
		return
	}
	goleak.VerifyTestMain(m)
}
