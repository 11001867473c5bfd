package doctor

import (
	"errors"
	"io/fs"
	"path"
)

// files looks at /dev/infiniband. A file whose module is not loaded has a finding already.
func (e *exam) files() {
	if !e.hasDevices() {
		return
	}
	const dir = "dev/infiniband"
	var files []string
	if e.there("sys/class/misc/rdma_cm") {
		files = append(files, "rdma_cm")
	}
	for _, d := range e.Devices {
		if d.File != "" {
			files = append(files, d.File)
		}
	}
	for _, name := range files {
		file := path.Join(dir, name)
		if !e.there(file) {
			e.Find("file.missing", "/"+file, "there is no /"+file)
			continue
		}
		if e.Open == nil {
			continue
		}
		switch err := e.Open(file); {
		case errors.Is(err, fs.ErrPermission):
			e.Find("file.permission", "/"+file, err.Error())
		case err == nil:
			e.Fact("file", "/"+file+" can be opened")
		}
	}
}
