package dat_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/types"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/udapl-constants.md")

const constantTable = "../../docs/udapl-constants.md"

// TestConstantTable compares the page with what testdata has. It is written by
//
//	go test ./compat/dat -run TestConstantTable -update
func TestConstantTable(t *testing.T) {
	page := constantPage(t)
	if *update {
		if err := os.WriteFile(constantTable, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(constantTable)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, page) {
		t.Fatalf("%s is out of date: go test ./compat/dat -run TestConstantTable -update", constantTable)
	}
}

// constantPage groups the constants by their Go types, in the order of the table.
func constantPage(t *testing.T) []byte {
	p := checked(t)
	capital := capitals(t)
	var order []string
	rows := map[string]*strings.Builder{}
	for _, row := range table(t, "constants.txt") {
		name := goName(row[0], capital)
		typ := "no type of their own"
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok {
			if named, ok := c.Type().(*types.Named); ok {
				typ = named.Obj().Name()
			}
		}
		if rows[typ] == nil {
			rows[typ] = new(strings.Builder)
			order = append(order, typ)
		}
		fmt.Fprintf(rows[typ], "| `%s` | `%s` | %s | %s | %s |\n", row[0], name, number(typ, row[1]), number(typ, row[2]), number(typ, row[3]))
	}
	var b bytes.Buffer
	b.WriteString(`# uDAPL: all constants

Every constant of uDAPL 1.2 and 2.0, with its Go name and its number in 1.2, in 2.0 and
here. A dash means that the version does not have the constant. Constants of 1.2 have the
number of 1.2 here. [uDAPL](udapl.md) explains how to port programs. A test writes this
page, from the table with which it checks the package:

    go test ./compat/dat -run TestConstantTable -update
`)
	for _, typ := range order {
		fmt.Fprintf(&b, "\n## %s\n\n| C | Go | 1.2 | 2.0 | here |\n| --- | --- | --- | --- | --- |\n%s", typ, rows[typ].String())
	}
	return b.Bytes()
}

// number writes masks, flags and results in hexadecimal, as headers do.
func number(typ, decimal string) string {
	var n int64
	hex := typ == "Return" || typ == "EventNumber" || strings.HasSuffix(typ, "Mask") || strings.HasSuffix(typ, "Flags")
	if _, err := fmt.Sscan(decimal, &n); err != nil || !hex || n < 10 {
		return decimal
	}
	return fmt.Sprintf("%#x", n)
}
