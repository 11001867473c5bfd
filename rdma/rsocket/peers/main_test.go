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
	if what := os.Getenv(rstreamVariable); what != "" {
		if err := serveRstream(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
