package guest

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// status is what /proc/PID/stat says of a process, as far as it is of use.
type status struct {
	pid, parent, group int
	zombie             bool
	threads            int
	rssPages           int64
}

// Usage adds up the process, its descendants, and whoever else is of its process group. A
// process that ends meanwhile is left out.
func (p *Process) Usage() (Usage, error) {
	all, err := processes()
	if err != nil {
		return Usage{}, fmt.Errorf("usage of the bot: %w", err)
	}
	root := p.child.Pid()
	var sum Usage
	for _, s := range all {
		if !belongs(all, s, root) {
			continue
		}
		if s.zombie {
			sum.Zombies++
			continue
		}
		rss, pss := memory(s)
		sum.RSS += rss
		sum.PSS += pss
		sum.Processes++
		sum.Threads += s.threads
		if files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.pid)); err == nil {
			sum.Descriptors += len(files)
		}
	}
	if sum.Processes == 0 {
		return Usage{}, fmt.Errorf("usage of the bot: process %d is gone", root)
	}
	return sum, nil
}

// belongs tells whether a process is the root, descends from it, or is of its group.
func belongs(all map[int]status, s status, root int) bool {
	for {
		if s.pid == root || s.group == root {
			return true
		}
		parent, known := all[s.parent]
		if !known || parent.pid == s.pid {
			return false
		}
		s = parent
	}
}

// processes lists all that run, by number.
func processes() (map[int]status, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	all := map[int]status{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		if s, ok := parseStat(string(text)); ok {
			all[s.pid] = s
		}
	}
	return all, nil
}

// parseStat reads a line of /proc/PID/stat. The second field, a name in parentheses, may
// hold blanks and parentheses itself.
func parseStat(line string) (s status, ok bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return s, false
	}
	fields := strings.Fields(line[end+1:]) // from the third on
	if len(fields) < 22 {
		return s, false
	}
	s.zombie = fields[0] == "Z" || fields[0] == "X"
	ok = true
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		ok = ok && err == nil
		return n
	}
	s.pid = number(strings.TrimSpace(line[:open]))
	s.parent, s.group = number(fields[1]), number(fields[2])
	s.threads = number(fields[17])
	s.rssPages = int64(number(fields[21]))
	return s, ok
}

// memory is what the process has resident, exactly where the system tells, else as counted
// in its status, which lags behind by some pages a thread.
func memory(s status) (rss, pss int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", s.pid))
	if err != nil {
		return s.rssPages * int64(os.Getpagesize()), 0
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || words[2] != "kB" {
			continue
		}
		kb, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil {
			continue
		}
		switch words[0] {
		case "Rss:":
			rss = kb << 10
		case "Pss:":
			pss = kb << 10
		}
	}
	return rss, pss
}
