package stock

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// structures are those of abi.h, by Debian's names.
var structures = map[string]string{
	"dg_context": "DAT_CONTEXT", "dg_lmr_triplet": "DAT_LMR_TRIPLET", "dg_rmr_triplet": "DAT_RMR_TRIPLET", "dg_comm": "DAT_COMM",
	"dg_named_attr": "DAT_NAMED_ATTR", "dg_shared_memory": "DAT_SHARED_MEMORY", "dg_region_description": "DAT_REGION_DESCRIPTION",
	"dg_agent": "DAT_OS_WAIT_PROXY_AGENT", "dg_provider_info": "DAT_PROVIDER_INFO", "dg_ia_attr": "DAT_IA_ATTR",
	"dg_provider_attr": "DAT_PROVIDER_ATTR", "dg_ep_attr": "DAT_EP_ATTR", "dg_ep_param": "DAT_EP_PARAM",
	"dg_dto_data": "DAT_DTO_COMPLETION_EVENT_DATA", "dg_rmr_bind_data": "DAT_RMR_BIND_COMPLETION_EVENT_DATA",
	"dg_cr_data": "DAT_CR_ARRIVAL_EVENT_DATA", "dg_connection_data": "DAT_CONNECTION_EVENT_DATA",
	"dg_asynch_error_data": "DAT_ASYNCH_ERROR_EVENT_DATA", "dg_event_data": "DAT_EVENT_DATA", "dg_event": "DAT_EVENT",
	"dg_ib_data": "DAT_IB_EXTENSION_EVENT_DATA", "dg_evd_param": "DAT_EVD_PARAM", "dg_lmr_param": "DAT_LMR_PARAM",
	"dg_rmr_param": "DAT_RMR_PARAM", "dg_proxy": "", "dg_cno_param": "DAT_CNO_PARAM", "dg_cr_param": "DAT_CR_PARAM",
	"dg_psp_param": "DAT_PSP_PARAM", "dg_rsp_param": "DAT_RSP_PARAM", "dg_csp_param": "DAT_CSP_PARAM", "dg_pz_param": "DAT_PZ_PARAM",
	"dg_srq_attr": "DAT_SRQ_ATTR", "dg_srq_param": "DAT_SRQ_PARAM", "dg_provider": "DAT_PROVIDER",
}

// renamed are members that have a shorter name here.
var renamed = map[string]string{
	"dg_event_data.dto": "dto_completion_event_data", "dg_event_data.rmr": "rmr_completion_event_data",
	"dg_event_data.cr": "cr_arrival_event_data", "dg_event_data.connect": "connect_event_data",
	"dg_event_data.asynch": "asynch_error_event_data", "dg_event_data.software": "software_event_data",
	"dg_ib_data.immed": "val.immed.data",
}

// shorter are structures of which we have the beginning only.
var shorter = map[string]bool{"dg_ib_data": true}

// numbers are the constants of the shim, and their values in Debian's headers.
var numbers = map[string]string{
	"DG_NAME_LENGTH": "DAT_NAME_MAX_LENGTH", "DG_COOKIE_SIZE": "DAT_LMR_COOKIE_SIZE", "DG_OPEN_EXTENSION": "DAT_OPEN_EXTENSION_BASE",
	"DG_CLOSE_EXTENSION": "DAT_CLOSE_EXTENSION_BASE", "DG_ERROR": "DAT_CLASS_ERROR",
	"DG_INTERNAL_ERROR": "DAT_CLASS_ERROR|DAT_INTERNAL_ERROR", "DG_INVALID_HANDLE": "DAT_CLASS_ERROR|DAT_INVALID_HANDLE",
	"DG_INVALID_PARAMETER": "DAT_CLASS_ERROR|DAT_INVALID_PARAMETER", "DG_QUEUE_EMPTY": "DAT_CLASS_ERROR|DAT_QUEUE_EMPTY",
	"DG_NOT_IMPLEMENTED": "DAT_CLASS_ERROR|DAT_NOT_IMPLEMENTED", "DG_ARG2": "DAT_INVALID_ARG2",
}

var (
	opening  = regexp.MustCompile(`^typedef (?:struct|union) (dg_\w+) \{`)
	function = regexp.MustCompile(`^\tdg_return \(\*(\w+)\)\(`)
	plain    = regexp.MustCompile(`(\w+)(?:\[\w+\])*;`)
	paren    = regexp.MustCompile(`\(\*(\w+)\)`)
)

// TestLayout compares sizes and offsets of every structure with those of Debian's
// headers: a C program that has both does not compile if one differs.
func TestLayout(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here to ask the headers with: ", err)
	}
	if _, err := os.Stat("/usr/include/dat2/udat.h"); err != nil {
		t.Skip("no headers here; Debian's are in libdapl-dev: ", err)
	}
	checks := assertions(t)
	if len(checks) < 300 {
		t.Fatalf("%d comparisons only: abi.h was not understood", len(checks))
	}
	shim, err := filepath.Abs("../shim.h")
	if err != nil {
		t.Fatal(err)
	}
	var c strings.Builder
	c.WriteString("#include <netinet/in.h>\n#include <dat2/udat.h>\n#include <dat2/dat_registry.h>\n#include <dat2/dat_ib_extensions.h>\n")
	fmt.Fprintf(&c, "#include %q\n%s", shim, strings.Join(checks, ""))
	if out, err := compile(t, gcc, c.String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	// A wrong assertion must be detected.
	if _, err := compile(t, gcc, c.String()+"_Static_assert(sizeof(dg_event) == sizeof(DAT_EVENT) + 1, \"\");\n"); err == nil {
		t.Error("the compiler is content with a wrong size, too")
	}
}

func compile(t *testing.T, gcc, source string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "layout.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(gcc, "-std=gnu11", "-fsyntax-only", "-I/usr/include", file).CombinedOutput()
	return string(out), err
}

// assertions are the required properties, derived from abi.h.
func assertions(t *testing.T) (all []string) {
	t.Helper()
	file, err := os.Open("../abi.h")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	same := func(ours, theirs string) {
		all = append(all, fmt.Sprintf("_Static_assert((%s) == (%s), \"%s\");\n", ours, theirs, ours))
	}
	for ours, theirs := range numbers {
		same(ours, "(unsigned)("+theirs+")")
	}
	within := ""
	seen := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if m := opening.FindStringSubmatch(line); m != nil {
			within = m[1]
			theirs, known := structures[within]
			if !known {
				t.Errorf("%s: which of Debian's is it?", within)
			}
			seen[within] = true
			if theirs != "" && !shorter[within] {
				same("sizeof("+within+")", "sizeof("+theirs+")")
			}
			continue
		}
		if strings.HasPrefix(line, "}") {
			within = ""
		}
		theirs := structures[within]
		if theirs == "" {
			continue
		}
		ours, name := member(line)
		if ours == "" {
			continue
		}
		if other, ok := renamed[within+"."+ours]; ok {
			name = other
		}
		same(fmt.Sprintf("offsetof(%s, %s)", within, ours), fmt.Sprintf("offsetof(%s, %s)", theirs, name))
		if !function.MatchString(line) {
			same(fmt.Sprintf("sizeof(((%s *)0)->%s)", within, ours), fmt.Sprintf("sizeof(((%s *)0)->%s)", theirs, name))
		}
	}
	for name := range structures {
		if !seen[name] {
			t.Errorf("%s is not in abi.h any more", name)
		}
	}
	return all
}

// member is the name of the member that a line declares, and Debian's for it.
func member(line string) (ours, theirs string) {
	if m := function.FindStringSubmatch(line); m != nil {
		return m[1], m[1] + "_func"
	}
	if !strings.HasPrefix(line, "\t") {
		return "", ""
	}
	if m := paren.FindStringSubmatch(line); m != nil {
		return m[1], m[1]
	}
	if m := plain.FindStringSubmatch(line); m != nil {
		return m[1], m[1]
	}
	return "", ""
}
