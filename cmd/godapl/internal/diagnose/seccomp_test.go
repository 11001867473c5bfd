package diagnose

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/doctor"
)

// denied is the environment variable that names the system calls which runWithout denies.
const denied = "GODAPL_DOCTOR_DENIED"

// TestSeccomp: the doctor in a process for which a filter denies what shared memory uses says so, and its self-test
// tells whether that matters.
func TestSeccomp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("seccomp is Linux's")
	}
	for _, c := range []struct {
		denies string
		fails  bool
		says   string // by the test that fails
	}{
		{denies: "process_vm_readv process_vm_writev"}, // the peer's side copies
		{"memfd_create", true, "memfd_create"},
	} {
		t.Run(c.denies, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], os.Args[0], "doctor", "-json")
			cmd.Env = append(os.Environ(), denied+"="+c.denies)
			out, err := cmd.Output() // an error means problems, too
			var r doctor.Report
			if json.Unmarshal(out, &r) != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if find(&r, "seccomp.filter") == nil {
				t.Error("the filter was not found")
			}
			i := slices.IndexFunc(r.Tests, func(test doctor.Test) bool { return test.Name == "test.shm" })
			if i < 0 || r.Tests[i].OK == c.fails {
				t.Errorf("the self-test of shared memory: %+v", r.Tests)
			}
			switch f := find(&r, "test.shm"); {
			case (f != nil) != c.fails:
				t.Errorf("the finding is %+v", f)
			case f != nil && (!strings.Contains(f.Found, c.says) || !strings.Contains(f.Found, "seccomp profile") || !strings.Contains(f.Mend, "seccomp")):
				t.Errorf("the finding does not say what is denied: %+v", f)
			}
		})
	}
}

func find(r *doctor.Report, name string) *doctor.Finding {
	if i := slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Name == name }); i >= 0 {
		return &r.Findings[i]
	}
	return nil
}
