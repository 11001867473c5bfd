package dat_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	setup()
	goleak.VerifyTestMain(m)
}
