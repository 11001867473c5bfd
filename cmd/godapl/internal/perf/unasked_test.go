package perf

import (
	"io"
	"strings"
	"testing"
)

// TestUnaskedCommands: what no perf asks for has an error, or ends, but does not panic.
func TestUnaskedCommands(t *testing.T) {
	cfg, err := parse(strings.Fields("-path tcp -api vipl -op write"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p, err := openPassive(t.Context(), cfg, true)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := p.far.Load().Slice(0, 8).Err(); err == nil {
		t.Error("there is memory of the other side before it has said so")
	}
	if a := p.do(t.Context(), command{Do: "raw event"}); !strings.Contains(a.Err, "no eventfds") {
		t.Errorf("eventfds: %q", a.Err)
	}
}
