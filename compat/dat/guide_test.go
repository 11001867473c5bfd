package dat_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	callInC     = regexp.MustCompile(`\b(?:dat_\w+|DAT_(?:GET_TYPE|GET_SUBTYPE|IS_WARNING))(?:\()`)
	constantInC = regexp.MustCompile(`\bDAT_[A-Z0-9_]+\b`)
)

// port is a fragment of C and its Go.
type port struct{ c, goCode string }

// ports are the fragments of the guide: each one in C is followed by its port to Go.
func ports(t *testing.T) (all []port) {
	text, err := os.ReadFile("../../docs/udapl-calls.md")
	if err != nil {
		t.Fatal(err)
	}
	var lang, block string
	for line := range strings.Lines(string(text)) {
		switch fence := strings.TrimSpace(line); {
		case lang == "" && strings.HasPrefix(fence, "```"):
			lang, block = strings.TrimPrefix(fence, "```"), ""
		case fence != "```":
			block += line
		case lang == "c":
			all, lang = append(all, port{c: block}), ""
		case lang == "go" && len(all) > 0 && all[len(all)-1].goCode == "":
			all[len(all)-1].goCode, lang = block, ""
		default:
			t.Fatalf("a block of %s without its counterpart:\n%s", lang, block)
		}
	}
	return all
}

// TestGuide ports the C of the guide by the naming rule, and expects the result in the
// Go next to it; and it expects every call in the guide. internal/lint checks that the
// Go comes from examples that run.
func TestGuide(t *testing.T) {
	capital := capitals(t)
	constants := map[string]bool{}
	for _, row := range table(t, "constants.txt") {
		constants[row[0]] = true
	}
	shown := map[string]bool{}
	for _, p := range ports(t) {
		for _, call := range callInC.FindAllString(p.c, -1) {
			name := goName(strings.TrimSuffix(call, "("), capital)
			found := false
			for _, form := range []string{"", "10", "20"} {
				if strings.Contains(p.goCode, "dat."+name+form+"(") {
					found, shown[name+form] = true, true
				}
			}
			if !found {
				t.Errorf("%s is no dat.%s in:\n%s", call, name, p.goCode)
			}
		}
		for _, c := range constantInC.FindAllString(p.c, -1) {
			if name := goName(c, capital); constants[c] && !strings.Contains(p.goCode, "dat."+name) {
				t.Errorf("%s is no dat.%s in:\n%s", c, name, p.goCode)
			}
		}
	}
	for _, row := range table(t, "calls.txt") {
		if name := goName(row[0], capital); !shown[name] && !strings.HasPrefix(name, "IBCollective") {
			t.Errorf("%s is not in the guide", row[0])
		}
	}
}
