package pages

import "fmt"

// Need is the access that pages must allow.
type Need uint8

// Needs. They can be combined.
const (
	Read  Need = 1
	Write Need = 2
)

// A Refusal is the error for memory whose pages do not allow the access.
type Refusal struct {
	Addr uint64 // of the first page that does not
	Why  string
}

func (r *Refusal) Error() string { return fmt.Sprintf("the page at %#x %s", r.Addr, r.Why) }

// The state of a page, in words that follow "the page at".
const (
	notMapped  = "is not mapped"
	notRead    = "cannot be read"
	notWritten = "cannot be written to: it is mapped for reading only"
	noAccess   = "allows no access"
	noFile     = "lies behind the end of its file"
)

// lacks tells why a mapping with these rights does not do, "" if it does.
func (n Need) lacks(read, write bool) string {
	switch {
	case n != 0 && !read && !write:
		return noAccess
	case n&Write != 0 && !write:
		return notWritten
	case n&Read != 0 && !read:
		return notRead
	}
	return ""
}
