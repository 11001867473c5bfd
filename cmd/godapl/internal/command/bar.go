package command

import (
	"io"

	"github.com/schollz/progressbar/v3"
)

// NewBar makes a bar that shows how far long work is, on a terminal only. It vanishes at its end.
func NewBar(to io.Writer, what string, total int) *progressbar.ProgressBar {
	if !Terminal(to) {
		to = io.Discard
	}
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(to), progressbar.OptionSetDescription(what), progressbar.OptionClearOnFinish())
}
