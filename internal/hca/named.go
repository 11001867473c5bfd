package hca

import "strings"

// Named adds the program's call, and the object as the program names it, to an error of
// an adapter, which has neither. The adapter's own name of the object, if it contains a
// number or an address, moves to the detail. nil stays nil.
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
	if isSpecific(e.Object) && !strings.Contains(object, e.Object) && !strings.Contains(e.Detail, e.Object) {
		named.Detail = strings.TrimSuffix(e.Object+": "+e.Detail, ": ")
	}
	return &named
}

// isSpecific reports whether the object of an adapter's error names more than a kind of object.
func isSpecific(object string) bool { return strings.ContainsAny(object, "0123456789") }
