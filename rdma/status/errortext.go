package status

import (
	"net"
	"slices"
	"strings"
)

// Error returns the error as a sentence: the call and the object, the result, the remedy,
// and the cause. Parts that an error and its causes have in common are not repeated.
func (e *Error) Error() string {
	var t errorText
	t.write(e)
	return t.String()
}

// errorText is a text that grows from the outermost error to its causes.
type errorText struct {
	strings.Builder
	ops, whats []string // that have been said
}

// write adds an error and its causes.
func (t *errorText) write(e *Error) {
	outermost := t.Len() == 0
	what := e.what()
	if head := e.head(); !outermost {
		// The object may be part of the enclosing one, as an address is.
		if known := slices.Contains(t.ops, e.Op) || e.Op == "" || e.Op == opConnection; !known || !strings.Contains(t.String(), e.Object) {
			if t.news(e, what) {
				t.add(head)
			}
		}
	} else if e.Object != "" || !strings.HasPrefix(what, e.Op+" ") { // not: connection: connection broken
		t.add(head)
	}
	t.ops = append(t.ops, e.Op)
	if !slices.Contains(t.whats, what) {
		t.add(what)
		t.whats = append(t.whats, what)
	}
	if e.Detail != "" {
		t.addNew(e.Detail)
	}
	switch cause := e.Err.(type) {
	case nil:
	case *Error:
		t.write(cause)
	case *net.OpError: // the call and the address have been said
		t.addNew(cause.Err.Error())
	case interface{ Brief() string }:
		t.addNew(cause.Brief())
	default:
		t.addNew(cause.Error())
	}
}

// news reports whether anything follows the head of e that has not been said.
func (t *errorText) news(e *Error, what string) bool {
	return e.Err != nil || !slices.Contains(t.whats, what) || e.Detail != "" && !t.has(e.Detail)
}

// add adds a part.
func (t *errorText) add(s string) {
	if s == "" {
		return
	}
	if t.Len() > 0 {
		t.WriteString(": ")
	}
	t.WriteString(s)
}

// addNew adds a part unless the text has it already.
func (t *errorText) addNew(s string) {
	if !t.has(s) {
		t.add(s)
	}
}

// has reports whether the text has s as one of its parts, or as several.
func (t *errorText) has(s string) bool {
	return strings.Contains(": "+t.String()+": ", ": "+s+": ")
}

// opConnection is the operation of errors that no call is to blame for.
const opConnection = "connection"

// head is the call and its object: "free region 3", "send on connection to host:7471".
func (e *Error) head() string {
	switch {
	case e.Object == "" || e.Op == "":
		return e.Op + e.Object
	case prepositions[e.Op] != "":
		return e.Op + prepositions[e.Op] + e.Object
	case e.Op == opConnection:
		return "connection to " + strings.TrimPrefix(strings.TrimPrefix(e.Object, "connection "), "to ")
	case strings.HasPrefix(e.Object, "connection ") && !slices.Contains([]string{"shut down", "close", "abort"}, e.Op),
		strings.HasPrefix(e.Op, "post "), strings.HasPrefix(e.Op, "batch "), strings.HasPrefix(e.Op, "set "):
		return e.Op + " on " + e.Object
	}
	return e.Op + " " + e.Object
}

// prepositions stand between calls that have none in their name and their object.
var prepositions = map[string]string{"wait": " for ", "dequeue": " from ", "post": " to "}

// what came of it.
func (e *Error) what() string {
	if e.Code == ErrWork {
		return e.Status.String()
	}
	return e.Code.String()
}
