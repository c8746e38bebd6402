package suite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Read reads the tasks of a file. Lines that cannot be used are told to complain, with their
// numbers, and left out; blank ones and those that begin with # are passed over.
func Read(from io.Reader, complain func(line int, err error)) ([]Task, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	var tasks []Task
	n := 0
	for ; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		t, err := Parse(text)
		if err != nil {
			complain(n+1, err)
			continue
		}
		tasks = append(tasks, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return tasks, nil
}

// Engine is what is asked.
type Engine interface {
	engine.Searcher
	// NewGame forgets what was found before, so that no answer depends on the tasks before.
	NewGame()
}

// Answer is how a task was answered.
type Answer struct {
	Task   *Task
	Result engine.Result
	Solved bool
	Points int
}

// Run asks for every task within the limits, in their order, and hands each answer on. A
// search for a mate ends as soon as the mate is found. When ctx ends, the search that it
// cuts short does not count.
func Run(ctx context.Context, e Engine, tasks []Task, l engine.Limits, answered func(Answer)) error {
	for i := range tasks {
		t := &tasks[i]
		e.NewGame()
		l.Mate = nil
		if t.Mate > 0 {
			l.Mate = &t.Mate
		}
		r, err := e.Search(ctx, position.NewGame(t.Position), l, nil)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("position %d (%s): %w", i+1, t.ID, err)
		}
		answered(Answer{Task: t, Result: r, Solved: t.Solved(r), Points: t.Points[r.Best]})
	}
	return nil
}

// Score counts answers.
type Score struct {
	Solved, Tasks int
	// Points of MaxPoints, of the tasks that have any.
	Points, MaxPoints int
}

// Add counts one more.
func (s *Score) Add(a Answer) {
	s.Tasks++
	if a.Solved {
		s.Solved++
	}
	s.Points += a.Points
	s.MaxPoints += a.Task.MaxPoints()
}

// String is "7/10 solved", with the points if there are any.
func (s Score) String() string {
	text := fmt.Sprintf("%d/%d solved", s.Solved, s.Tasks)
	if s.MaxPoints > 0 {
		text += fmt.Sprintf(", %d/%d points", s.Points, s.MaxPoints)
	}
	return text
}
