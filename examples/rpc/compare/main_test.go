package main

import (
	"testing"

	"go.uber.org/goleak"
)

// The package contest has the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
