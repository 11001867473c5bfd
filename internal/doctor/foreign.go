package doctor

import "regexp"

// plain is what an object may be that becomes a part of a command.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@-]*$`)

// Foreign makes a report of another host fit to be shown. What a finding means and what to do about
// it is said by this program, never by the other host: a finding that this program does not know
// is left out. A nil report is an empty one.
func Foreign(r *Report) *Report {
	if r == nil {
		return new(Report)
	}
	known := r.Findings[:0]
	for _, f := range r.Findings {
		k := byName[f.Name]
		if k == nil {
			continue
		}
		if f.Level != Problem && f.Level != Warning && f.Level != Note {
			f.Level = k.Level
		}
		f.Why, f.Mend = k.Why, k.Mend
		if plain.MatchString(f.Object) {
			f.Mend = k.mend(f.Object)
		}
		known = append(known, f)
	}
	r.Findings = known
	return r
}
