package lint

import (
	"regexp"
	"strings"
)

var (
	goTest = regexp.MustCompile("go test ([^`\n]*)")
	// A word of a command: in single quotes, or without spaces.
	shellWord = regexp.MustCompile(`'[^']*'|[^\s']+`)
)

// untested says which commands of a line, such as go test -run X ./rdma, select no test or benchmark.
func (d *declared) untested(line string) (what []string) {
	for _, m := range goTest.FindAllStringSubmatch(line, -1) {
		command, _, _ := strings.Cut(m[1], "&&")
		command, _, _ = strings.Cut(command, " #")
		folder, patterns := "", map[string]string{}
		words := shellWord.FindAllString(command, -1)
		for i, w := range words {
			w = strings.TrimRight(w, ",.;:)")
			switch {
			case strings.HasPrefix(w, "./") && folder == "":
				folder = strings.TrimPrefix(w, "./")
			case (w == "-run" || w == "-bench") && i+1 < len(words):
				patterns[w] = strings.Trim(words[i+1], "'")
			}
		}
		for _, kind := range []string{"-run", "-bench"} {
			if p := patterns[kind]; p != "" && !d.selects(kind, p, folder) {
				what = append(what, "go test "+kind+" "+p+" selects nothing")
			}
		}
	}
	return what
}

// selects reports whether every alternative of a pattern is in the name of a test or benchmark of the folder. An
// unknown folder is one of the reader's, or one below that from which the command runs: then any of the module will do.
func (d *declared) selects(kind, pattern, folder string) bool {
	if pattern == "^$" || pattern == "-" { // none, on purpose
		return true
	}
	first, _, _ := strings.Cut(pattern, "/")
	for _, part := range strings.Split(strings.Trim(first, "^$()"), "|") {
		x, err := regexp.Compile(part)
		if err != nil || !d.anyTest(kind, x, folder) {
			return false
		}
	}
	return true
}

func (d *declared) anyTest(kind string, x *regexp.Regexp, folder string) bool {
	for dir, names := range d.tests {
		if d.paths[folder] && dir != folder {
			continue
		}
		for _, n := range names {
			if strings.HasPrefix(n, "Benchmark") == (kind == "-bench") && x.MatchString(n) {
				return true
			}
		}
	}
	return false
}
