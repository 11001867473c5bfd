package doctor

import (
	"path"
	"slices"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// groupDirs are the folders of this process's control groups, and of the groups above each. Version 2 has one
// hierarchy for all controllers, version 1 has several; both may be there.
func (e *exam) groupDirs() (dirs []string) {
	mounts := sysrdma.Text(e.Root, "proc/self/mountinfo")
	for line := range strings.Lines(sysrdma.Text(e.Root, "proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, group
		if len(f) != 3 {
			continue
		}
		mount, root := hierarchy(mounts, f[1])
		for dir := strings.TrimPrefix(path.Join(mount, below(f[2], root)), "/"); ; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
			if len(dir) <= max(1, len(mount)) { // "." is above all
				break
			}
		}
	}
	return dirs
}

// hierarchy says where the hierarchy with these controllers is mounted, and which group the mount shows as its root. No
// controllers: that of version 2. Without a list of mounts it is where it usually is.
func hierarchy(mounts, controllers string) (mount, root string) {
	first, _, _ := strings.Cut(controllers, ",")
	for line := range strings.Lines(mounts) {
		// 36 35 0:31 /root /mount/point rw - cgroup none rw,memory
		f := strings.Fields(line)
		sep := slices.Index(f, "-")
		if sep < 5 || len(f) < sep+4 {
			continue
		}
		is := f[sep+1] == "cgroup2"
		if controllers != "" {
			is = f[sep+1] == "cgroup" && slices.Contains(strings.Split(f[sep+3], ","), first)
		}
		if is {
			return strings.TrimPrefix(path.Clean(f[4]), "/"), f[3]
		}
	}
	return path.Join("sys/fs/cgroup", controllers), "/"
}

// below is where a group is in a mount that shows the group root as its root: containers often see their own group so.
// A group that the mount does not show counts as the root.
func below(group, root string) string {
	group = path.Clean("/" + group)
	if root == "/" {
		return group
	}
	rest, ok := strings.CutPrefix(group+"/", root+"/")
	if !ok {
		return "/"
	}
	return "/" + rest
}
