package soft_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		playRole()
		return
	}
	goleak.VerifyTestMain(m)
}
