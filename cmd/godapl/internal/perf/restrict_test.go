package perf

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// TestRestrictedEndsInOrder: the process on fewer processors is not killed, so it ends what it has started itself.
func TestRestrictedEndsInOrder(t *testing.T) {
	if !restricts {
		t.Skip("-cpus needs Linux")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var said bytes.Buffer
	err := run(ctx, strings.Fields("-cpus 1 -path tcp -only latency -duration 1h -op send"), io.Discard, &said)
	if err == nil || strings.Contains(err.Error(), "killed") || !strings.Contains(said.String(), "the first process has ended") {
		t.Errorf("%v: %s", err, said.String())
	}
}
