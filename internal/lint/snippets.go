package lint

import "strings"

func snippets() Rule {
	return Rule{
		Name: "snippets-are-compiled",
		Why:  "code in a text that nothing compiles is wrong after the next change, and newcomers copy it first",
		Do:   "take the lines, in one piece, from an example or Example test of the module; indentation may differ",
		check: func(t *Tree, report func(*File, int, string)) {
			var sources []string
			for _, f := range t.gofiles() {
				sources = append(sources, unindented(f.Text))
			}
			for _, f := range t.Files {
				if !strings.HasSuffix(f.Path, ".md") {
					continue
				}
				for _, s := range goBlocks(f.Text) {
					if !anyContains(sources, unindented(s.text)) {
						report(f, s.line, "this Go code is in no source file")
					}
				}
			}
		},
	}
}

// A snippet is a fenced block of Go, and the line of its fence.
type snippet struct {
	line int
	text string
}

func goBlocks(text string) []snippet {
	var blocks []snippet
	open := false
	n := 0
	for line := range strings.Lines(text) {
		n++
		switch fence := strings.TrimSpace(line); {
		case open && strings.HasPrefix(fence, "```"):
			open = false
		case open:
			blocks[len(blocks)-1].text += line
		case fence == "```go":
			open = true
			blocks = append(blocks, snippet{line: n})
		}
	}
	return blocks
}

// unindented is text without white space around its lines, between newlines.
func unindented(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line))
		b.WriteString("\n")
	}
	return b.String()
}

func anyContains(texts []string, part string) bool {
	for _, t := range texts {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}
