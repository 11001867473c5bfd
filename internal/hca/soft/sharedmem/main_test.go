package sharedmem_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if _, other := os.LookupEnv(roleVariable); other {
		playRole()
		return
	}
	goleak.VerifyTestMain(m)
}
