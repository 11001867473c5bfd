package lint

import "go/ast"

func sleep() Rule {
	return Rule{
		Name: "no-sleep",
		Why:  "a sleep is either too short on a slow machine or a waste on a fast one, and it hides what is really waited for",
		Do: "wait for the event itself: a channel, a context, a condition, testing/synctest for time; " +
			"an example may sleep, with a comment beside it or above that says why",
		check: func(t *Tree, report func(*File, int, string)) {
			for _, f := range t.gofiles() {
				for _, line := range sleeps(t, f) {
					if f.In("examples") && commented(t, f, line) {
						continue
					}
					report(f, line, "time.Sleep")
				}
			}
		},
	}
}

// sleeps are the lines of f that name time.Sleep, called or not.
func sleeps(t *Tree, f *File) []int {
	name := localName(f, "time")
	if name == "" {
		return nil
	}
	var lines []int
	ast.Inspect(f.Go, func(n ast.Node) bool {
		if selects(n, name, "Sleep") {
			lines = append(lines, t.line(n.Pos()))
		}
		return true
	})
	return lines
}

// selects is whether n is pkg.member; with member "" any of pkg.
func selects(n ast.Node, pkg, member string) bool {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == pkg && (member == "" || s.Sel.Name == member)
}

// commented is whether a comment ends on the line or on the one above.
func commented(t *Tree, f *File, line int) bool {
	for _, group := range f.Go.Comments {
		if end := t.line(group.End()); end == line || end == line-1 {
			return true
		}
	}
	return false
}
