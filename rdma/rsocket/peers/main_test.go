package peers_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(killedVariable); what != "" {
		fmt.Fprintln(os.Stderr, beKilled(what))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
