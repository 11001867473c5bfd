package ibv

import (
	"reflect"
	"strings"
	"testing"
)

// Every function is kept in the field of its name, and every field is filled.
func TestSymbols(t *testing.T) {
	lib := new(Lib)
	v := reflect.ValueOf(lib).Elem()
	fields := map[uintptr]string{}
	for i := range v.NumField() {
		fields[v.Field(i).UnsafeAddr()] = v.Type().Field(i).Name
	}
	for _, s := range append(lib.verbsSymbols(), lib.cmSymbols()...) {
		_, name, _ := strings.Cut(s.name, "_") // ibv_ or rdma_
		name = strings.ReplaceAll(name, "_", "")
		if s.name == "rdma_event_str" {
			name = "cmEventStr"
		}
		at := reflect.ValueOf(s.to).Pointer()
		if !strings.EqualFold(fields[at], name) {
			t.Errorf("%s goes to %s", s.name, fields[at])
		}
		delete(fields, at)
	}
	for _, f := range fields {
		t.Errorf("nothing is looked up for %s", f)
	}
}
