package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// A Rule is a property that holds everywhere in the module.
type Rule struct {
	Name string
	Why  string // the reason for the rule
	Do   string // what to do about a finding

	check func(t *Tree, report func(f *File, line int, what string))
}

// A Finding is a place that breaks a rule.
type Finding struct {
	Rule Rule
	Path string
	Line int
	What string
}

// String is the place and the finding. Rule.Advice tells reason and cure.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.What)
}

// Advice is the reason for the rule and what to do about its findings.
func (r Rule) Advice() string {
	return fmt.Sprintf("why this is a rule: %s\nwhat to do: %s", r.Why, r.Do)
}

// Check gives the findings of the rule, by place.
func (r Rule) Check(t *Tree) []Finding {
	var found []Finding
	r.check(t, func(f *File, line int, what string) {
		found = append(found, Finding{Rule: r, Path: f.Path, Line: line, What: what})
	})
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return found
}

// Rules are all rules of the module.
func Rules() []Rule {
	rules := slices.Concat(directions(), confinements())
	return append(rules, random(), sleep(), leaks(), packageDoc(), fileLists(), sizes(), topLevel(), exampled(), exposed(), words(), snippets(), links(), named(), dependencies(), released())
}
