package lint

import (
	"regexp"
	"strings"
)

// denied are words that mean something on one machine only.
var denied = []*regexp.Regexp{
	regexp.MustCompile(`(^|\W)/work/`),
	regexp.MustCompile(`/tmp/bash_jobs`),
	regexp.MustCompile(`(?i)\bissue #?\d`),
	regexp.MustCompile(`(?i)#\d+ of the issue`),
	regexp.MustCompile(`\b(design|api-sketch|measurements|brief)\.md\b`),
}

// deniedOutsideCI is allowed in .ci, which may look for tools beside the project.
var deniedOutsideCI = regexp.MustCompile(`\.\./shared\b`)

func words() Rule {
	return Rule{
		Name: "speaks-for-itself",
		Why:  "sources and docs are read by people who have neither our machine nor our tracker",
		Do:   "say what is meant: the fact, the reason, or a path inside the project",
		check: func(t *Tree, report func(*File, int, string)) {
			for _, f := range t.Files {
				if f.In("internal/lint") {
					continue // it has to spell them
				}
				n := 0
				for line := range strings.Lines(f.Text) {
					n++
					if word := deniedIn(f, line); word != "" {
						report(f, n, "the text says "+strings.TrimSpace(word))
					}
				}
			}
		},
	}
}

func deniedIn(f *File, line string) string {
	for _, re := range denied {
		if word := re.FindString(line); word != "" {
			return word
		}
	}
	if !f.In(".ci") {
		return deniedOutsideCI.FindString(line)
	}
	return ""
}
