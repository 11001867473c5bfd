package command

import (
	"io"
	"os"
)

// Terminal reports whether what is written goes to a terminal. Bars and pages that replace themselves are for
// terminals only.
func Terminal(to io.Writer) bool {
	f, ok := to.(*os.File)
	if !ok {
		return false
	}
	about, err := f.Stat()
	return err == nil && about.Mode()&os.ModeCharDevice != 0
}
