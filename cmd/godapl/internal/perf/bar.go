package perf

import (
	"io"

	"github.com/schollz/progressbar/v3"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// newBar shows how far a long measurement is, on a terminal only.
func newBar(errs io.Writer, total int) *progressbar.ProgressBar {
	if !tool.Terminal(errs) {
		errs = io.Discard
	}
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(errs), progressbar.OptionSetDescription("measuring"), progressbar.OptionClearOnFinish())
}
