package command

import (
	"io"
	"os"
	"strings"
	"unicode"
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

// Plain removes from a text what would change the terminal: peers choose some of the texts.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
