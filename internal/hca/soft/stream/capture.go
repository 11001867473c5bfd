package stream

import (
	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
)

// startCapture starts the capture that the options request.
func (p *Path) startCapture() error {
	a := p.a
	c := a.Options.Capture
	if c == nil {
		return nil
	}
	f, err := capture.Open(capture.Config{Path: c.Path, FileSize: c.FileSize, Files: c.Files, Interface: a.Attrs.Name, Failed: p.captureFailed})
	if err != nil {
		return hca.Wrap(hca.Invalid, "open", a.Attrs.Name, "capture", err)
	}
	p.capture, p.fabric = f, captured.Fabric(p.fabric, f)
	a.Log.Info("capture", "file", f.Name(), "inprocess", "not captured")
	return nil
}

func (p *Path) captureFailed(err error) {
	a := p.a
	a.Log.Error("the capture has ended early", "error", err)
	a.Async(hca.AsyncEvent{Kind: hca.AsyncCaptureEnded, Err: hca.Wrap(hca.Resources, "capture", a.Attrs.Name, "it has ended early", err)})
}

func (p *Path) endCapture() {
	if p.capture != nil {
		_ = p.capture.Close() // an error is reported already
	}
}
