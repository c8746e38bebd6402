package main

import "zeitnot/clock"

// feedbackOption is an element of the feedback of the policy adaptive, by the name of the
// option that switches it.
type feedbackOption struct {
	name string
	on   *bool
}

func feedbackOptions(e *clock.FeedbackElements) []feedbackOption {
	return []feedbackOption{
		{"TM Score", &e.Score},
		{"TM Nodes", &e.Nodes},
		{"TM Forced", &e.Forced},
		{"TM Fail Lows", &e.FailLows},
	}
}
