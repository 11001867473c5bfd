package shm_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// roleVariable tells a process that a test has started which of the roles to play.
const roleVariable = "GODAPL_SHM_ROLE"

var roles = map[string]func() error{}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		if err := roles[name](); err != nil {
			fmt.Fprintln(os.Stderr, name+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
