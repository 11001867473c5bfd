package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteHead writes a line about the host.
func (r *Report) WriteHead(to io.Writer) {
	fmt.Fprintf(to, "Host %s, %s, %s", Clean(r.Host), Clean(r.System), Clean(r.Arch))
	if r.CPUs > 0 {
		fmt.Fprint(to, ", ", plural(r.CPUs, "processor"))
	}
	fmt.Fprint(to, "\n\n")
}

// WriteText writes a report for people: facts first if verbose, then findings, the least
// important first, so that the end of the output has what matters.
func (r *Report) WriteText(to io.Writer, verbose bool) {
	if verbose {
		for _, f := range r.Facts {
			fmt.Fprintf(to, "ok       %-12s %s\n", Clean(f.Area), Clean(f.Text))
		}
		for _, t := range r.Tests {
			if t.OK {
				fmt.Fprintf(to, "ok       %-12s %s, path %s\n", Clean(t.Name), Clean(t.Object), Clean(t.Detail))
			}
		}
		fmt.Fprintln(to)
	}
	for _, level := range []Level{Note, Warning, Problem} {
		for _, f := range r.Findings {
			if f.Level == level {
				f.write(to)
			}
		}
	}
}

func (f *Finding) write(to io.Writer) {
	object := ""
	if f.Object != "" && !strings.Contains(f.Found, f.Object) {
		object = " (" + f.Object + ")"
	}
	fmt.Fprintf(to, "%-8s %s%s\n", f.Level, Clean(f.Name), Clean(object))
	fmt.Fprintf(to, "  found  %s\n  why    %s\n  mend   %s\n\n", Clean(f.Found), Clean(f.Why), Clean(f.Mend))
}

// Clean takes out what would move the cursor of a terminal: reports come from peers, too.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

// Summary says in two lines what works, and counts the findings.
func (r *Report) Summary() string {
	works, fails := []string{}, []string{}
	for _, t := range r.Tests {
		if t.OK {
			works = append(works, Clean(t.Object))
		} else {
			fails = append(fails, Clean(t.Object))
		}
	}
	text := ""
	if len(works) > 0 {
		text += "Works: " + strings.Join(works, ", ") + ". "
	}
	if len(fails) > 0 {
		text += "Fails: " + strings.Join(fails, ", ") + ". "
	}
	if len(r.Devices) == 0 {
		text += "There is no RDMA device."
	}
	if text != "" {
		text = strings.TrimSpace(text) + "\n"
	}
	return text + fmt.Sprintf("%s: %s, %s, %s.", Clean(r.Host), plural(r.Count(Problem), "problem"), plural(r.Count(Warning), "warning"), plural(r.Count(Note), "note"))
}

func plural(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
