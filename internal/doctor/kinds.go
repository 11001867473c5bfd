package doctor

import (
	"slices"
	"strings"
)

// A Kind is a kind of finding. Name never changes its meaning.
type Kind struct {
	Name  string
	Level Level // of most findings of this kind
	What  string
	Why   string
	// Mend is what to do, most often a command. In it, OBJECT stands for the object of the
	// finding.
	Mend string
}

func (k *Kind) mend(object string) string {
	if object == "" {
		return k.Mend
	}
	return strings.ReplaceAll(k.Mend, "OBJECT", object)
}

// Kinds are all kinds, in the order in which Look examines them.
func Kinds() []Kind {
	return slices.Concat(deviceKinds, libraryKinds, portKinds, limitKinds, sharingKinds, machineKinds, testKinds)
}

var byName = func() map[string]*Kind {
	m := map[string]*Kind{}
	for _, k := range Kinds() {
		m[k.Name] = &k
	}
	return m
}()

func kind(name string) *Kind {
	k := byName[name]
	if k == nil {
		panic("doctor: no kind of finding is named " + name)
	}
	return k
}
