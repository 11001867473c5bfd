package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// A command in a page: between backquotes, or on an indented line.
	commandLine = regexp.MustCompile("(?m)(?:`|^ {4,})(?:[A-Z_]+=\\S+ |taskset \\S+ \\S+ )*godapl ([a-z]+)([^`\n]*)")
	flagOf      = regexp.MustCompile(`(?:^|\s)(--?[A-Za-z][\w-]*)`)
	// A flag that stands alone is one of perf.
	onlyFlag = regexp.MustCompile("`(-[a-z]+)(?: [a-z0-9:-]+)?`")
)

// TestThePagesHaveTheseCommands: each godapl command of the README and of docs exists, and has the flags that stand there.
func TestThePagesHaveTheseCommands(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	helps := map[string]string{"help": ""}
	for _, c := range commands {
		_, helps[c.Name()], _ = call(t, "help", c.Name())
	}
	found := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandLine.FindAllStringSubmatch(string(text), -1) {
			found++
			help, is := helps[m[1]]
			if !is {
				t.Errorf("%s: godapl %s does not exist", page, m[1])
			}
			args, _, _ := strings.Cut(m[2], " | ") // what follows is of another program
			for _, f := range flagOf.FindAllStringSubmatch(args, -1) {
				if !hasFlag(help, f[1]) {
					t.Errorf("%s: godapl %s has no flag %s: %s", page, m[1], f[1], m[0])
				}
			}
		}
		if base := filepath.Base(page); base != "performance.md" && base != "production.md" {
			continue
		}
		for _, f := range onlyFlag.FindAllStringSubmatch(string(text), -1) {
			if !hasFlag(helps["perf"], f[1]) {
				t.Errorf("%s: godapl perf has no flag %s", page, f[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d commands were found in the pages", found)
	}
}

// hasFlag reports whether a command's help has a flag. Of the letters behind one hyphen, as ping takes them, each may be
// a flag.
func hasFlag(help, flag string) bool {
	if regexp.MustCompile(`(?m)(^|[\s{\[|])` + regexp.QuoteMeta(flag) + `($|[\s}\],|])`).MatchString(help) {
		return true
	}
	letters := strings.TrimPrefix(flag, "-")
	if !strings.HasPrefix(help, "usage: godapl ping") || len(letters) < 2 {
		return false
	}
	for _, l := range letters {
		if !hasFlag(help, "-"+string(l)) {
			return false
		}
	}
	return true
}
