package stream_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
)

// TestConformanceCaptured: an adapter with a capture passes the whole suite.
func TestConformanceCaptured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	hcatest.Run(t, hcatest.Harness{
		Name: "soft-tcp",
		Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
			opt.Capture = &hca.Capture{Path: path, FileSize: 1 << 20, Files: 1}
			a, err := soft.Driver("tcp").Open(context.Background(), "soft-tcp", opt)
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			return a
		},
	})
}

// TestWhatCannotBeCaptured: there are no packets within a process.
func TestWhatCannotBeCaptured(t *testing.T) {
	opt := hca.Options{Capture: &hca.Capture{Path: filepath.Join(t.TempDir(), "x")}}
	open := func() (hca.Adapter, error) { return soft.Driver("loop").Open(context.Background(), "soft-loop", opt) }
	if _, err := open(); !errors.Is(err, hca.Unsupported) {
		t.Errorf("soft-loop: %v", err)
	}
	opt.Capture.IfPossible = true
	a, err := open()
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	opt.Capture.Path = filepath.Join(t.TempDir(), "not", "there")
	if _, err := soft.Driver("tcp").Open(context.Background(), "soft-tcp", opt); !errors.Is(err, hca.Invalid) {
		t.Errorf("no folder: %v", err)
	}
}

// TestNoCaptureNoTrace: without a capture, no wrapper is around the wire. TestConformance shows that nothing is
// allocated then, either.
func TestNoCaptureNoTrace(t *testing.T) {
	a, b := softtest.Connect(t, "tcp", 4, 64)
	if stream.Captured(a.QP) || stream.Captured(b.QP) {
		t.Error("a wire is wrapped")
	}
}
