package dat

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/godapl/godapl/rdma"
)

// The static registry is a text file, one entry per line, eight fields:
//
//	name  u1.2  threadsafe  default  library  provider.1.0  "instance data"  "platform data"
//
// In C the library is loaded. Here an entry belongs to the library that the program has
// added under that path ([RegistryAddLibrary]), or maps a name to an adapter of package
// rdma, named by the first word of the instance data. An entry with neither is skipped,
// as C skips a library that does not load.

// overrideVariable names another file. If it is set, only that file counts, even
// if it cannot be read.
const overrideVariable = "DAT_OVERRIDE"

func confPath() (path string, must bool) {
	if p, ok := os.LookupEnv(overrideVariable); ok {
		return p, true
	}
	if runtime.GOOS == "windows" {
		return `C:\DAT\dat.conf`, false
	}
	return "/etc/dat.conf", false
}

// fileEntries reads the file. It is an error if the file was requested by name and
// cannot be read.
func fileEntries() ([]*providerEntry, error) {
	path, must := confPath()
	text, err := os.ReadFile(path)
	if err != nil {
		if !must && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if !must {
			return nil, nil // not ours to read
		}
		return nil, err
	}
	devices := rdma.Adapters()
	var all []*providerEntry
	for line := range strings.Lines(string(text)) {
		e, ok := parseLine(line)
		device := cmp.Or(strings.Fields(e.instance)...) // the first word
		switch {
		case !ok:
		case libraryAt(e.library) != nil:
			all = append(all, e)
		case slices.Contains(devices, device):
			e.provider = &Provider{DeviceName: device}
			all = append(all, e)
		}
	}
	return all, nil
}

// parseLine splits a line. ok is false for comments, for lines that do not parse, for
// kernel entries, and for entries that are not default.
func parseLine(line string) (e *providerEntry, ok bool) {
	e = &providerEntry{}
	fields, ok := splitFields(line)
	if !ok || len(fields) < 7 || len(fields) > 8 {
		return e, false
	}
	name, version := fields[0], fields[1]
	rest, user := strings.CutPrefix(version, "u")
	major, minor, dotted := strings.Cut(rest, ".")
	ma, err1 := strconv.ParseUint(major, 10, 32)
	mi, err2 := strconv.ParseUint(minor, 10, 32)
	if !user || !dotted || err1 != nil || err2 != nil || name == "" || len(name) >= NameMaxLength {
		return e, false
	}
	if fields[2] != "threadsafe" && fields[2] != "nonthreadsafe" || fields[3] != "default" {
		return e, false
	}
	e.info = ProviderInfo{name, uint32(ma), uint32(mi), fields[2] == "threadsafe"}
	e.library, e.instance = fields[4], fields[6]
	return e, true
}

// splitFields splits a line at blanks. A field may be in double quotes, with \\ and
// \" in it. A # outside of quotes begins a comment.
func splitFields(line string) (fields []string, ok bool) {
	var b strings.Builder
	in, quoted := false, false
	end := func() {
		if in {
			fields = append(fields, b.String())
			b.Reset()
			in = false
		}
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted && c == '\\' && i+1 < len(line) && (line[i+1] == '\\' || line[i+1] == '"'):
			i++
			b.WriteByte(line[i])
		case c == '"':
			in, quoted = true, !quoted
		case quoted:
			b.WriteByte(c)
		case c == '#':
			end()
			return fields, true
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			end()
		default:
			in = true
			b.WriteByte(c)
		}
	}
	end()
	return fields, !quoted
}
