package shm

import (
	"errors"
	"os"
	"strings"
)

// The kinds of errors. Every error of the package is an [*Error] that wraps one of
// these and, where there is one, the system's error.
var (
	// ErrUnsupported: this system lacks the function. The caller uses another method.
	ErrUnsupported = errors.ErrUnsupported
	// ErrUnfit: the peer sent something invalid. End the connection to it.
	ErrUnfit = errors.New("unfit")
	// ErrInvalid: an argument of the caller's own is out of range.
	ErrInvalid = errors.New("invalid argument")
	// ErrDenied: the kernel does not permit the call to this process.
	ErrDenied = errors.New("not permitted")
	// ErrOtherUser: the other end belongs to another user.
	ErrOtherUser = errors.New("another user's process")
	// ErrNobody: nothing listens under that name.
	ErrNobody = errors.New("nobody listens")
	// ErrInUse: another listener has that name.
	ErrInUse = errors.New("name in use")
	// ErrResources: memory, descriptors or another limit.
	ErrResources = errors.New("insufficient resources")
	// ErrClosed: the object was closed or freed before.
	ErrClosed = errors.New("closed")
	// ErrCorrupt: shared memory holds values that no correct peer writes.
	ErrCorrupt = errors.New("shared memory is corrupt")
	// ErrStuck: a peer did not leave the memory in time.
	ErrStuck = errors.New("peer stays inside")
	// ErrFault: the memory is not mapped, or its file is shorter.
	ErrFault = errors.New("memory fault")
	// ErrGone: the peer's process has ended.
	ErrGone = errors.New("process has ended")
	// ErrAgain: the call would block, because nothing has arrived or there is no room.
	ErrAgain = errors.New("would block")
)

// Error says which call failed on what, and why.
type Error struct {
	Op   string
	Code error // one of the above
	// Detail says what was wrong and what to do about it.
	Detail string
	Err    error // the system's, may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteString(": ")
	b.WriteString(e.Code.Error())
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Err}
}

// Brief returns the text of the error without the call and the kind, for an enclosing
// error that states these itself.
func (e *Error) Brief() string {
	s := e.Detail
	switch {
	case s == "":
		s = e.Op + ": " + e.Code.Error()
	case e.Code != ErrNobody && e.Code != ErrInUse:
		s = e.Code.Error() + ": " + s
	}
	cause := e.Err
	if call, ok := errors.AsType[*os.SyscallError](e.Err); ok {
		cause = call.Err
	}
	if cause != nil {
		s += ": " + cause.Error()
	}
	return s
}

func fail(op string, code error, detail string, err error) error {
	return &Error{Op: op, Code: code, Detail: detail, Err: err}
}
