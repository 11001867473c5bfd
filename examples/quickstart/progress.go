package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// newProgress shows a bar if out is a terminal, and nothing otherwise. The
// function returned is told of every byte that arrives.
func newProgress(out io.Writer, total int) func(n int) {
	if !terminal(out) || total == 0 {
		return func(int) {}
	}
	bar := progressbar.NewOptions(total,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription("reading   "),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionThrottle(50*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	return func(n int) { bar.Add(n) } // a bar that cannot be drawn is no reason to stop
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
