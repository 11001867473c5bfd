package diagnose

import (
	"io"

	"github.com/schollz/progressbar/v3"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// progress is told of each step before it is taken, and how many are left with it.
type progress func(step string, left int)

// bar shows the steps on a terminal, until done is called.
func bar(to io.Writer) (p progress, done func()) {
	var b *progressbar.ProgressBar
	taken := 0
	p = func(step string, left int) {
		if b == nil {
			b = command.NewBar(to, step, left)
		}
		b.Describe(step)
		b.ChangeMax(taken + left)
		_ = b.Set(taken)
		taken++
	}
	return p, func() {
		if b != nil {
			_ = b.Clear()
		}
	}
}
