package endpoint_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A seed is an input with a name.
type seed struct {
	name string
	in   input
}

// endpointSeeds have each kind of message, right and wrong, in each role.
func endpointSeeds() (list []seed) {
	scripts := map[string][]byte{
		"nothing":        {},
		"writes":         {0, 0, 0, 0, 5, 0x80, 2, 0, 7, 0, 3, 1, 2, 0, 9, 0, 0},
		"sends":          {2, 0, 5, 0, 0, 0x82, 0, 3, 0, 0, 2, 0, 4, 0, 0, 0x12, 0, 1, 0, 0},
		"invalidate":     {0x22, 0, 7, 0, 0, 0, 4, 0, 0},
		"foreign window": {0x22, 0, 8, 0, 0, 4, 0, 0},
		"no end":         {0x82, 0, 3, 0, 0},
		"no end of it":   {0x80, 0, 0, 0, 5},
		"read requests":  {5, 0, 0, 3, 0, 0, 12, 0, 5, 1, 0, 0, 0, 0, 8, 0},
		"read responses": {6, 0, 0, 0, 0, 6, 0x83, 0, 0, 0, 6, 0, 0, 0, 0},
		"atomics":        {8, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 8, 0, 0, 16, 0, 1, 0, 1, 1, 1, 1},
		"atomic answers": {9, 0, 0, 9, 0, 0},
		"immediate":      {0, 0, 0, 0, 5, 10, 0, 0},
		"terminate":      {15, 4, 0x11, 0, 0, 0},
		"refused read":   {15, 0x88, 2},
		"refused atomic": {6, 0, 0, 0, 0, 15, 0x82, 1},
		"refused later":  {15, 0x80, 3},
		"refused others": {15, 0x88, 0, 0x81, 0, 0},
		"any ULPDU":      {11, 20, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'h', 'i'},
		"any data":       {12, 5, 1, 2, 3, 4, 5},
		"changed":        {13, 0, 3, 0, 0, 0, 0, 5},
		"again":          {2, 0, 5, 0, 0, 14, 0},
		"cut":            {2, 0, 5, 0, 0, 14, 250},
		"wrong key":      {0, 0, 0x81, 0, 5},
		"wrong MSN":      {2, 0, 5, 0x81, 0},
	}
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		b := scripts[name]
		for role := range roles {
			in := input{role: byte(role), end: byte(role), receives: []byte{8, 0, 19, 7}, reads: []byte{8, 0x80, 0, 17}, cuts: []byte{3, 0, 50}, script: b}
			if role%2 == 0 && !strings.Contains(name, "answers") && !strings.Contains(name, "responses") && !strings.Contains(name, "refused") {
				in.end, in.reads = 0, nil // an orderly end
			}
			list = append(list, seed{fmt.Sprintf("%s_%d", strings.ReplaceAll(name, " ", "_"), role), in})
		}
	}
	return list
}
