package hca

import "strings"

// Named gives an error of an adapter the call that the program has made, and the object
// as the program knows it. An adapter knows neither. What it says itself, with a number
// in it or a name, stays in the detail. nil stays nil.
func Named(err error, op, object string) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*Error)
	if !ok {
		return &Error{Op: op, Object: object, Code: Internal, Err: err}
	}
	named := *e
	named.Op, named.Object = op, object
	if tells(e.Object) && !strings.Contains(object, e.Object) && !strings.Contains(e.Detail, e.Object) {
		named.Detail = strings.TrimSuffix(e.Object+": "+e.Detail, ": ")
	}
	return &named
}

// tells is whether the object of an adapter's error is more than a kind of object.
func tells(object string) bool { return strings.ContainsAny(object, "0123456789") }
