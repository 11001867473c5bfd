package doctor

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The table in docs/doctor.md is that of the code. A failure prints the right one.
func TestDocumentedTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| name | level | what | why it matters | what mends it |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range Kinds() {
		cells := []string{"`" + k.Name + "`", string(k.Level), k.What, k.Why, k.Mend}
		b.WriteString("| " + strings.ReplaceAll(strings.Join(cells, "\x00"), "|", "\\|") + " |\n")
	}
	table := strings.ReplaceAll(b.String(), "\x00", " | ")
	_, got, _ := strings.Cut(string(text), "## Findings\n")
	if i := strings.Index(got, "| name "); i < 0 || got[i:] != table {
		t.Errorf("the table in docs/doctor.md is not that of the code, which is\n%s", table)
	}
}

// Names are stable, so their form is decided once: an area, a dot, a word. No two are equal.
func TestNames(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+\.[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if !form.MatchString(k.Name) || seen[k.Name] || k.What == "" || k.Why == "" || k.Mend == "" {
			t.Errorf("%+v", k)
		}
		seen[k.Name] = true
	}
	defer func() {
		if recover() == nil {
			t.Error("a finding of no kind was taken")
		}
	}()
	new(Report).Find("no.kind", "", "x")
}
