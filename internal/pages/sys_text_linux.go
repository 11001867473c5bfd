package pages

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// text reads /proc/self/maps up to the end of the range.
func (a *Asker) text(from, to uint64, need Need) error {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return errUnknown
	}
	defer f.Close()
	at := from
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		lo, hi, rest, ok := bounds(lines.Text())
		if !ok {
			return errUnknown
		}
		if hi <= at {
			continue
		}
		if lo > at {
			break
		}
		// Rights, offset, device and inode follow.
		rights := strings.Fields(rest)
		if len(rights) < 4 || len(rights[0]) < 2 {
			return errUnknown
		}
		if why := need.lacks(rights[0][0] == 'r', rights[0][1] == 'w'); why != "" {
			return &Refusal{pageStart(at), why}
		}
		at = min(hi, to)
		if rights[3] != "0" && !a.present(at-1) {
			return &Refusal{pageStart(at - 1), noFile}
		}
		if at == to {
			return nil
		}
	}
	if lines.Err() != nil {
		return errUnknown
	}
	return &Refusal{pageStart(at), notMapped}
}

// bounds splits off a line's first word.
func bounds(line string) (lo, hi uint64, rest string, ok bool) {
	first, rest, _ := strings.Cut(line, " ")
	from, to, _ := strings.Cut(first, "-")
	lo, err := strconv.ParseUint(from, 16, 64)
	if err != nil {
		return 0, 0, "", false
	}
	hi, err = strconv.ParseUint(to, 16, 64)
	return lo, hi, rest, err == nil
}
