package verbs

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// constants lists the constants of a file of package ibv that begin with a
// prefix, from the one named first to the one named last.
func constants(t *testing.T, file, first, last string) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "ibv/"+file, nil, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the package's source is not on this machine")
	}
	if err != nil {
		t.Fatal(err)
	}
	in := false
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name := v.Names[0].Name
		in = in || name == first
		if in {
			names = append(names, name)
		}
		in = in && name != last
		return true
	})
	if len(names) < 2 || names[0] != first || names[len(names)-1] != last {
		t.Fatalf("%s has no constants from %s to %s: %v", file, first, last, names)
	}
	return names
}

// told checks what every error has to have.
func told(t *testing.T, err error, code hca.Code, words ...string) {
	t.Helper()
	var e *hca.Error
	switch {
	case !errors.As(err, &e):
		t.Errorf("%v is no *hca.Error", err)
	case e.Code != code:
		t.Errorf("%v has the code %v, want %v", err, e.Code, code)
	case e.Op == "" || e.Object == "":
		t.Errorf("%v does not name operation and object", err)
	}
	for _, w := range words {
		if w == "" || !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

// Every error number that package ibv tells apart has a line in the table,
// with its own name, a cause and a cure.
func TestEveryErrno(t *testing.T) {
	byName := map[string]reason{}
	for _, r := range reasons {
		if _, twice := byName[r.name]; twice {
			t.Errorf("%s is there twice", r.name)
		}
		byName[r.name] = r
	}
	for _, name := range constants(t, "sys_errno.go", "EPERM", "EPROTONOSUPPORT") {
		r, ok := byName[name]
		if !ok {
			t.Errorf("%s has no line", name)
			continue
		}
		delete(byName, name)
		if len(r.cure) < 20 || r.code == hca.Unknown {
			t.Errorf("%s: code %v, cure %q", name, r.code, r.cure)
		}
		err := explain("CreateQP", "mlx5_0", r.errno, "the device made no queue pair")
		told(t, err, r.code, "CreateQP mlx5_0: ", "the device made no queue pair; ", r.cure, "("+name+")", r.errno.Error())
		if !errors.Is(err, r.errno) || !errors.Is(err, r.code) {
			t.Errorf("%v is neither %v nor %v", err, r.errno, r.code)
		}
	}
	for name := range byName {
		t.Errorf("%s is not among those of package ibv", name)
	}
}

// Codes are what callers act on.
func TestCodesOfErrnos(t *testing.T) {
	for e, code := range map[ibv.Errno]hca.Code{
		ibv.ENOMEM: hca.Resources, ibv.EMFILE: hca.Resources, ibv.EACCES: hca.Privileges, ibv.EPERM: hca.Privileges,
		ibv.EINVAL: hca.Invalid, ibv.EBUSY: hca.InUse, ibv.EOPNOTSUPP: hca.Unsupported, ibv.ENODEV: hca.Internal, ibv.EIO: hca.Internal,
	} {
		told(t, explain("NewCQ", "mlx5_0", e, ""), code)
	}
	for e, code := range map[ibv.Errno]hca.Code{
		ibv.ENODEV: hca.Unreachable, ibv.EINVAL: hca.BadAddress, ibv.EACCES: hca.Privileges, ibv.EADDRINUSE: hca.ServiceInUse,
		ibv.EADDRNOTAVAIL: hca.BadAddress, ibv.ENETUNREACH: hca.Unreachable, ibv.EHOSTUNREACH: hca.Unreachable,
		ibv.ETIMEDOUT: hca.Unreachable, ibv.ECONNREFUSED: hca.Refused,
	} {
		told(t, explainAddress("Connect", "192.0.2.1:7471", e, ""), code)
	}
	told(t, explain("NewCQ", "mlx5_0", 9999, ""), hca.Internal, "errno 9999", "dmesg")
	for _, r := range addressReasons {
		if r.name != reasonOf(r.errno).name || len(r.cure) < 20 {
			t.Errorf("%v: %q, %q", r.errno, r.name, r.cure)
		}
	}
}

func TestPostsThatDoNotFit(t *testing.T) {
	for _, e := range []ibv.Errno{ibv.ENOMEM, ibv.EAGAIN, ibv.ENOSPC} {
		told(t, explainPost("PostSend", e), hca.QueueFull, "poll completions", e.Error())
	}
	told(t, explainPost("PostSend", ibv.EINVAL), hca.Invalid, "(EINVAL)")
}
