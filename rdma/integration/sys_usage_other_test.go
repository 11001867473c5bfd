//go:build !unix

package integration_test

import "time"

func processorTime() (time.Duration, bool) { return 0, false }
