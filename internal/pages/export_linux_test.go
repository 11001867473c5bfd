package pages

// Ways are Askers that try one method first, by its name.
func Ways() map[string]*Asker {
	return map[string]*Asker{
		"query":    {},
		"populate": {ways: ways{noQuery: true}},
		"text":     {ways: ways{noQuery: true, noPopulate: true}},
	}
}

// Asks reports whether this kernel has the first of an Asker's ways.
func (a *Asker) Asks(from, to uint64) bool {
	return a.ways.noQuery || a.query(from, to, Read) != errUnknown
}
