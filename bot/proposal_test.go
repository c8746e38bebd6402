package bot_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// asking is somebody who waits for the end of a challenge of ours.
type asking struct {
	leave context.CancelFunc
	end   chan bot.ProposalEnd // what he was told; nothing when he left
}

// propose asks for a challenge to the user.
func propose(d *bot.Daemon, user string) *asking {
	ctx, leave := context.WithCancel(context.Background())
	a := &asking{leave: leave, end: make(chan bot.ProposalEnd, 1)}
	go func() {
		end, err := d.Propose(ctx, bot.Proposal{User: user, Time: lichess.ClockControl(180, 2), Color: lichess.White})
		if err == nil {
			a.end <- end
		}
		close(a.end)
	}()
	return a
}

// told is what he has been told by now; the zero value is nothing.
func (a *asking) told() bot.ProposalEnd {
	select {
	case end := <-a.end:
		return end
	default:
		return bot.ProposalEnd{}
	}
}

// ends waits for the end of a proposal in the sandbox.
func (h *house) ends(a *asking, want bot.Outcome) bot.ProposalEnd {
	h.t.Helper()
	end := <-a.end
	a.leave()
	if end.Outcome != want {
		h.t.Errorf("own challenge: got %+v, want %s", end, want)
	}
	return end
}

// requests are the sandbox's requests of one kind by us.
func (h *house) requests(e sandbox.Endpoint) []sandbox.Request {
	return h.Requests(func(q sandbox.Request) bool { return q.Endpoint == e && q.Account == "zeitnot" })
}

// silent is an opponent who answers no challenge for so long.
func silent(name string, delay time.Duration) sandbox.OpponentSpec {
	return sandbox.OpponentSpec{Name: name, AnswerDelay: delay, New: sandbox.Script{Think: time.Second, ResignAt: 20}.Player}
}

func TestAcceptedProposalIsPlayed(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{silent(rival, 3*time.Second)}}
	inSandbox(t, o, nil, func(h *house) {
		asked := propose(h.daemon, "rIVAL")
		time.Sleep(2 * time.Second)
		if got := h.daemon.Health().SlotsUsed; got != 1 {
			t.Errorf("slots while the challenge stands: got %d, want 1", got)
		}
		end := h.ends(asked, bot.Accepted)
		id, ok := strings.CutPrefix(end.Game, "https://lichess.org/")
		if !ok {
			t.Fatalf("address of the game: got %q", end.Game)
		}
		h.wantWon(h.finished(id, 10*time.Minute))
		if n := len(h.requests(sandbox.EndpointCancel)); n != 0 {
			t.Errorf("withdrawals: got %d, want none", n)
		}
		h.wantIdle()
	})
}

func TestDeclinedProposalTellsTheReason(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{{
		Name: rival, New: sandbox.Script{}.Player, Answer: func(sandbox.ChallengeRecord) string { return "tooFast" },
	}}}
	inSandbox(t, o, nil, func(h *house) {
		end := h.ends(propose(h.daemon, rival), bot.Declined)
		if !strings.Contains(end.Why, "too fast for me") {
			t.Errorf("why: got %q", end.Why)
		}
		h.wantIdle()
		h.ends(propose(h.daemon, rival), bot.Declined) // there is room for another
	})
}

// One slot. The first challenge gets no answer: it is withdrawn, and only when that has been
// answered may the next go out.
func TestUnansweredProposalIsWithdrawnBeforeTheNextGoesOut(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{silent("Sleepy", time.Hour), sparring(sandbox.Script{ResignAt: 5})}}
	o.Faults = []sandbox.Fault{{Kind: sandbox.Latency, Endpoint: sandbox.EndpointCancel, In: 2 * time.Second, Out: 2 * time.Second}}
	inSandbox(t, o, nil, func(h *house) {
		first := propose(h.daemon, "Sleepy")
		for len(h.requests(sandbox.EndpointCancel)) == 0 {
			time.Sleep(100 * time.Millisecond)
		}
		if end := h.ends(propose(h.daemon, rival), bot.Refused); !strings.Contains(end.Why, "Sleepy") {
			t.Errorf("while the withdrawal has no answer: got %q", end.Why)
		}
		if end := h.ends(first, bot.Unanswered); !strings.Contains(end.Why, "30s") {
			t.Errorf("why: got %q", end.Why)
		}
		h.wantWon(h.finished(lastPart(h.ends(propose(h.daemon, rival), bot.Accepted).Game), 10*time.Minute))

		created, cancelled := h.requests(sandbox.EndpointChallenge), h.requests(sandbox.EndpointCancel)
		if len(created) != 2 || len(cancelled) != 1 {
			t.Fatalf("got %d challenges and %d withdrawals, want 2 and 1", len(created), len(cancelled))
		}
		if waited := cancelled[0].At.Sub(created[0].At); waited < 30*time.Second || waited > 34*time.Second {
			t.Errorf("withdrawn after %v, want 30 s", waited)
		}
		if answered := cancelled[0].At.Add(cancelled[0].Took); created[1].At.Before(answered) {
			t.Errorf("the next challenge went out %v before the withdrawal was answered", answered.Sub(created[1].At))
		}
		if got := h.Challenges()[0].State; got != lichess.ChallengeCanceled {
			t.Errorf("first challenge: got %s, want canceled", got)
		}
		h.wantIdle()
	})
}

func lastPart(address string) string { return address[strings.LastIndex(address, "/")+1:] }

// The first challenge is accepted in its last second, and its game comes so late that the
// second one's is being played, in the only slot.
func TestGameOfAWithdrawnProposalIsPlayedAllTheSame(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{silent("Late", 29*time.Second), silent("Quick", 0)}}
	var log lines
	inSandbox(t, o, func(o *bot.Options) { o.Log = log.logger() }, func(h *house) {
		if err := h.InjectSpec("startlate account=late for=12s"); err != nil {
			t.Fatal(err)
		}
		h.ends(propose(h.daemon, "Late"), bot.Unanswered)
		second := lastPart(h.ends(propose(h.daemon, "Quick"), bot.Accepted).Game)
		first := h.Challenges()[0].ID
		for {
			if _, started := h.Game(first); started {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if r, _ := h.Game(second); r.Status.Over() {
			t.Error("the second game is over already")
		}
		time.Sleep(5 * time.Second)
		if r, _ := h.Game(first); !r.Status.Over() && len(r.Moves) == 0 {
			t.Error("the late game stands without a move for 5 s")
		}
		if n := log.count("a challenge that we withdrew has become a game"); n != 1 {
			t.Errorf("lines about the late game: got %d, want 1", n)
		}
		h.wantWon(h.finished(second, 10*time.Minute))
		h.wantWon(h.finished(first, 10*time.Minute))
		h.wantIdle()
	})
}

// The same, after a withdrawal that the server had confirmed.
func TestGameAfterAConfirmedWithdrawalIsPlayed(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		first := propose(r.daemon, "late")
		r.after(32 * time.Second)
		r.want("withdrawals", r.made("cancel"), "[cancel o1]")
		r.want("end", first.told(), fmt.Sprint(bot.ProposalEnd{Outcome: bot.Unanswered, Why: "no answer within 30s"}))
		second := propose(r.daemon, "quick")
		r.after(time.Second)
		for _, id := range []string{"o2", "o1"} {
			r.game(id, lichess.White, "")
			r.start(id)
			r.after(2 * time.Second)
			r.want("moves in "+id, len(r.made("move "+id)), 1)
		}
		r.want("end", second.told(), fmt.Sprint(bot.ProposalEnd{Outcome: bot.Accepted, Game: "https://lichess.org/o2"}))
		r.end("o1", lichess.StatusResign, lichess.White)
		r.end("o2", lichess.StatusResign, lichess.White)
		r.after(time.Second)
		r.want("slots", r.slotsUsed(), 0)
	})
}

func TestProposalHoldsASlotAgainstChallengers(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		asked := propose(r.daemon, "other")
		r.after(time.Second)
		r.send(challenged(challenge("c1", "one")))
		r.after(5 * time.Second)
		r.want("accepts while our challenge stands", r.made("accept"), "[]")
		c := ownChallenge("o1", "other")
		c.DeclineReasonKey = "later"
		r.send(lichess.Event{Type: lichess.EventChallengeDeclined, Challenge: c})
		r.after(time.Second)
		r.want("end", asked.told(), fmt.Sprint(bot.ProposalEnd{Outcome: bot.Declined, Why: "later"}))
		r.want("accepts after that", r.made("accept"), "[accept c1]")
		busy := propose(r.daemon, "other")
		r.after(time.Second)
		r.want("end without a free slot", busy.told(), fmt.Sprint(bot.ProposalEnd{Outcome: bot.Refused, Why: "no game slot is free, 1 of 1 are taken: try again when a game has ended"}))
		r.want("challenges", r.made("create"), "[create other]")
	})
}

// The reply may come before the events, after them, or not at all.
func TestProposalIsKnownByItsReplyOrByTheEventStream(t *testing.T) {
	lost := &lichess.Error{Op: "challenge other", Err: lichess.ErrTimeout}
	echo := challenged(ownChallenge("o1", "other"))
	for _, c := range []struct {
		name    string
		create  func(r *rig) error // the reply, after what comes before it
		later   func(r *rig)       // what comes after it
		told    bot.Outcome
		cancels int
	}{
		{
			"events first, started", func(r *rig) error {
				r.send(echo)
				r.game("o1", lichess.White, "")
				r.start("o1")
				time.Sleep(time.Second)
				return nil
			}, nil, bot.Accepted, 0,
		},
		{
			"started, no echo", func(r *rig) error {
				r.game("o1", lichess.White, "")
				r.start("o1")
				time.Sleep(time.Second)
				return nil
			}, nil, bot.Accepted, 0,
		},
		{
			"declined, no echo", func(r *rig) error {
				r.send(lichess.Event{Type: lichess.EventChallengeDeclined, Challenge: echo.Challenge})
				time.Sleep(time.Second)
				return nil
			}, nil, bot.Declined, 0,
		},
		{
			"reply lost, echo before", func(r *rig) error {
				r.send(echo)
				time.Sleep(time.Second)
				return lost
			}, func(r *rig) {
				r.game("o1", lichess.White, "")
				r.start("o1")
			}, bot.Accepted, 0,
		},
		{
			"reply lost, echo before, no answer", func(r *rig) error {
				r.send(echo)
				time.Sleep(time.Second)
				return lost
			}, func(r *rig) { r.after(31 * time.Second) }, bot.Unanswered, 1,
		},
		{"reply lost, echo after", func(*rig) error { return lost }, func(r *rig) { r.send(echo) }, bot.Unreachable, 1},
		{"reply of a gateway, echo after", func(*rig) error { return status(502, 0) }, func(r *rig) { r.send(echo) }, bot.Unreachable, 1},
		{"reply lost, no echo", func(*rig) error { return lost }, nil, bot.Unreachable, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("create", func(string, int) error { return c.create(r) })
				asked := propose(r.daemon, "Other")
				r.after(2 * time.Second)
				if c.later != nil {
					c.later(r)
					r.after(time.Second)
				}
				r.want("end", asked.told().Outcome, c.told)
				r.want("withdrawals", len(r.made("cancel o1")), c.cancels)
				if c.told != bot.Unreachable || c.cancels > 0 {
					r.send(echo) // once more: that changes nothing
				}
				if c.told == bot.Accepted {
					r.want("slots", r.slotsUsed(), 1)
					r.end("o1", lichess.StatusResign, lichess.White)
				}
				r.after(time.Minute)
				r.want("withdrawals in all", len(r.made("cancel")), c.cancels)
				r.want("slots", r.slotsUsed(), 0)
				r.on("create", nil)
				next := propose(r.daemon, "other")
				r.after(time.Second)
				r.want("the next one stands", next.told().Outcome, "")
				next.leave()
				r.after(time.Second)
				r.want("withdrawals", len(r.made("cancel o2")), 1)
			})
		})
	}
}

// A lost reply in the sandbox: nothing is left standing.
func TestLostReplyLeavesNoProposalStanding(t *testing.T) {
	o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{silent("Sleepy", time.Hour)}}
	for _, faults := range []string{"lost challenge", "lost challenge; stall event for=10s", "lost challenge as=reset"} {
		t.Run(faults, func(t *testing.T) {
			inSandbox(t, o, nil, func(h *house) {
				if err := h.InjectSpec(faults); err != nil {
					t.Fatal(err)
				}
				end := <-propose(h.daemon, "Sleepy").end
				time.Sleep(15 * time.Second)
				if got := h.Challenges(); len(got) != 1 || got[0].State != lichess.ChallengeCanceled {
					t.Errorf("told %+v; challenges: got %+v, want one that was cancelled", end, got)
				}
				h.wantIdle()
			})
		})
	}
}

// The reply is lost, and with it the event stream for minutes: what it repeats when it opens
// again is withdrawn all the same.
func TestLostProposalIsRecognizedHoweverLateTheEventStreamIsBack(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		lost := &lichess.Error{Op: "challenge other", Err: lichess.ErrTimeout}
		r.on("create", func(string, int) error { return lost })
		r.on("events", func(string, int) error { return status(502, 0) })
		r.send(error(lost)) // ends the stream
		r.after(time.Second)
		asked := propose(r.daemon, "other")
		r.after(5 * time.Minute)
		r.want("end", asked.told().Outcome, bot.Unreachable)
		r.want("slots", r.slotsUsed(), 0) // nobody is kept out for so long
		r.want("withdrawals", len(r.made("cancel")), 0)
		r.send(challenged(ownChallenge("o1", "other")))
		r.on("events", nil)
		r.after(2 * time.Minute)
		r.want("withdrawals", r.made("cancel"), "[cancel o1]")
	})
}

func TestRefusedProposalSaysWhy(t *testing.T) {
	capped := func(code int) error {
		return &lichess.Error{Status: code, Message: "games against other bots today", RetryAfter: time.Hour, RateLimitKey: lichess.BotVsBotKey}
	}
	for _, c := range []struct {
		name string
		err  error
		want bot.Outcome
		why  string
	}{
		{"unknown user", &lichess.Error{Status: 400, Message: "No such user: other"}, bot.Refused, "No such user: other"},
		{"too many requests", status(429, time.Minute), bot.Refused, "retry after 1m0s"},
		{"our day with bots is over", capped(429), bot.Refused, "retry after 1h0m0s"},
		{"the other's day with bots is over", capped(400), bot.Refused, "games against other bots today"},
		{"token refused", status(401, 0), bot.Unauthorized, "401"},
		{"scope missing", &lichess.Error{Status: 403, Needs: "challenge:write"}, bot.Unauthorized, "needs challenge:write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("create", func(string, int) error { return c.err })
				asked := propose(r.daemon, "other")
				r.after(time.Second)
				got := asked.told()
				r.want("outcome", got.Outcome, c.want)
				if !strings.Contains(got.Why, c.why) {
					t.Errorf("why: got %q, want %q in it", got.Why, c.why)
				}
				r.want("slots", r.slotsUsed(), 0)
				r.want("unauthorized", r.daemon.Health().Unauthorized, c.name == "token refused")
				r.want("withdrawals", len(r.made("cancel")), 0)
			})
		})
	}
}

func TestWithdrawalIsSentUntilItIsAnswered(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("cancel", func(string, int) error { return status(502, 0) })
		first := propose(r.daemon, "other")
		r.after(time.Minute)
		if end := first.told(); end.Outcome != bot.Unanswered || !strings.Contains(end.Why, "not confirmed") {
			t.Errorf("end: got %+v", end)
		}
		refused := propose(r.daemon, "another")
		r.after(2 * time.Minute)
		r.want("the next one", refused.told().Outcome, bot.Refused)
		r.want("slots", r.slotsUsed(), 0) // nobody is kept out for ever
		r.on("cancel", func(string, int) error { return status(404, 0) })
		r.after(15 * time.Second)
		sent := len(r.made("cancel"))
		r.after(time.Minute)
		r.want("withdrawals after the answer", len(r.made("cancel")), sent)
		next := propose(r.daemon, "another")
		r.after(time.Second)
		next.leave()
		r.want("challenges", r.made("create"), "[create other create another]")
	})
}

// A token that is refused may be good again: the challenge stands meanwhile.
func TestWithdrawalIsSentAgainWhenTheTokenWasRefused(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("cancel", func(string, int) error { return status(401, 0) })
		first := propose(r.daemon, "other")
		r.after(59 * time.Second)
		r.want("withdrawals", len(r.made("cancel")), 1)
		if end := first.told(); end.Outcome != bot.Unanswered || !strings.Contains(end.Why, "not confirmed") {
			t.Errorf("end: got %+v", end)
		}
		r.on("cancel", nil)
		r.after(time.Minute)
		r.want("withdrawals", len(r.made("cancel")), 2)
		next := propose(r.daemon, "other")
		r.after(time.Second)
		r.want("the next one stands", next.told().Outcome, "")
		next.leave()
	})
}

// On Lichess a withdrawal aborts a game that has just begun.
func TestWithdrawalIsNotSentAgainOnceThereIsAGame(t *testing.T) {
	for name, before := range map[string]time.Duration{
		"between two attempts":                    100 * time.Millisecond,
		"after all attempts, before the next one": 20 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Concurrency = 2 }, func(r *rig) {
				r.on("cancel", func(string, int) error { return status(502, 0) })
				asked := propose(r.daemon, "other")
				r.after(time.Second)
				asked.leave()
				r.after(before)
				r.game("o1", lichess.White, "")
				r.start("o1")
				r.after(100 * time.Millisecond)
				sent := len(r.made("cancel"))
				next := propose(r.daemon, "another")
				r.after(20 * time.Second)
				r.want("withdrawals", len(r.made("cancel")), sent)
				r.want("challenges", r.made("create"), "[create other create another]")
				r.want("moves", len(r.made("move")), 1)
				r.on("cancel", nil)
				next.leave()
			})
		})
	}
}

func TestProposalIsWithdrawnWhenItsAskerLeaves(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("create", func(_ string, n int) error {
			time.Sleep(2 * time.Second)
			return nil
		})
		for n, wait := range []time.Duration{time.Second, 10 * time.Second} { // before the reply and after it
			asked := propose(r.daemon, "other")
			r.after(wait)
			asked.leave()
			r.after(2 * time.Second)
			r.want("withdrawals", len(r.made("cancel")), n+1)
			r.want("slots", r.slotsUsed(), 0)
		}
	})
}

func TestDrainWithdrawsTheProposal(t *testing.T) {
	for _, c := range []struct {
		name  string
		wait  time.Duration // before the drain
		reply time.Duration // to the request
		lost  bool          // the withdrawal has no answer
	}{
		{"standing", 5 * time.Second, 0, false},
		{"before the reply", time.Second, 2 * time.Second, false},
		{"site down", 5 * time.Second, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("create", func(string, int) error { time.Sleep(c.reply); return nil })
				if c.lost {
					r.on("cancel", func(string, int) error { return status(502, 0) })
				}
				asked := propose(r.daemon, "other")
				r.after(c.wait)
				r.daemon.Drain()
				r.after(5 * time.Second)
				r.want("end", asked.told(), fmt.Sprint(bot.ProposalEnd{Outcome: bot.Withdrawn, Why: "the bot is being stopped"}))
				if got := r.made("cancel"); len(got) == 0 {
					t.Error("the challenge was not withdrawn")
				}
				r.wantEnded("after its last words")
			})
		})
	}
}

func TestRefusedWithdrawalIsTold(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("cancel", func(string, int) error { return status(404, 0) })
		asked := propose(r.daemon, "other")
		r.after(32 * time.Second)
		if end := asked.told(); end.Outcome != bot.Unanswered || !strings.Contains(end.Why, "may have become a game") {
			t.Errorf("end: got %+v", end)
		}
	})
}

// The opponent accepts while we drain, and nothing but the list of games tells.
// That of the drain itself may have been made too early, and come late.
func TestDrainPlaysTheGameOfAProposalThatCannotBeWithdrawn(t *testing.T) {
	for _, slow := range []bool{false, true} {
		inVirtualTime(t, nil, func(r *rig) {
			hide := func(yes bool) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.games["o1"].hidden = yes
			}
			r.on("cancel", func(string, int) error {
				time.Sleep(100 * time.Millisecond)
				r.game("o1", lichess.White, "")
				hide(slow)
				return status(404, 0)
			})
			propose(r.daemon, "other")
			r.after(time.Second)
			if slow {
				r.on("playing", func(string, int) error { time.Sleep(time.Second); return nil })
			}
			r.daemon.Drain()
			r.after(1500 * time.Millisecond)
			hide(false)
			r.after(4 * time.Second)
			r.want("moves", len(r.made("move o1")), 1)
			r.end("o1", lichess.StatusResign, lichess.White)
			r.after(time.Second)
			r.wantEnded("after its last words")
		})
	}
}

func TestNothingIsProposedThatCannotBePlayed(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(time.Second)
		r.daemon.Drain()
		r.after(time.Second)
		asked := propose(r.daemon, "other")
		r.after(time.Second)
		r.want("draining", asked.told().Outcome, bot.Refused)
		r.want("challenges", r.made("create"), "[]")
	})
	inVirtualTime(t, nil, func(r *rig) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if end, err := r.daemon.Propose(ctx, bot.Proposal{User: "other"}); err != nil || end.Outcome != bot.Refused {
			t.Errorf("no clock: got %+v, %v", end, err)
		}
		atomic := bot.Proposal{User: "other", Time: lichess.ClockControl(180, 2), Variant: "atomic"}
		if end, err := r.daemon.Propose(ctx, atomic); err != nil || end.Outcome != bot.Refused {
			t.Errorf("atomic: got %+v, %v", end, err)
		}
		r.want("challenges", r.made("create"), "[]")
	})
	end, err := bot.New(bot.Options{Client: newStub()}).Propose(t.Context(), bot.Proposal{User: "other", Time: lichess.ClockControl(180, 2)})
	if err != nil || end.Outcome != bot.Unreachable {
		t.Errorf("before it has begun: got %+v, %v", end, err)
	}
}

// A challenge that the owner makes by other means is neither taken for a proposal nor does it
// stand in the way of one.
func TestOwnersChallengesAreNoProposals(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.send(challenged(ownChallenge("x1", "other")))
		r.after(time.Second)
		asked := propose(r.daemon, "third")
		r.after(time.Second)
		r.send(challenged(ownChallenge("x2", "other")))
		r.send(lichess.Event{Type: lichess.EventChallengeCanceled, Challenge: ownChallenge("x2", "other")})
		r.after(35 * time.Second)
		r.want("end", asked.told().Outcome, bot.Unanswered)
		r.want("withdrawals", r.made("cancel"), "[cancel o1]")
		r.daemon.Drain()
		r.after(5 * time.Second)
		r.want("withdrawals by the drain", r.made("cancel"), "[cancel o1 cancel x1]")
	})
}

// One from before a restart, to the same user, may be shown before the reply to the next comes.
func TestReplyKnowsBetterThanTheEventStreamWhichChallengeIsOurs(t *testing.T) {
	old := ownChallenge("x1", "other")
	for _, c := range []struct {
		name  string
		reply error
		early func(r *rig, a *asking) // before the reply
		later func(r *rig)
		told  bot.Outcome
		made  string // withdrawals
		drain string // likewise, after a drain
	}{
		{
			"accepted", nil, nil, func(r *rig) {
				r.game("o1", lichess.White, "")
				r.start("o1")
				r.after(time.Second)
				r.end("o1", lichess.StatusResign, lichess.White)
			}, bot.Accepted, "[]", "[cancel x1]",
		},
		{
			"the old one is declined later", nil, nil, func(r *rig) {
				r.send(lichess.Event{Type: lichess.EventChallengeDeclined, Challenge: old})
				r.after(40 * time.Second)
			}, bot.Unanswered, "[cancel o1]", "[cancel o1]",
		},
		{
			"the old one is declined before", nil, func(r *rig, _ *asking) {
				r.send(lichess.Event{Type: lichess.EventChallengeDeclined, Challenge: old})
			}, nil, bot.Declined, "[cancel o1]", "[cancel o1]",
		},
		{
			"the asker leaves", nil, func(_ *rig, a *asking) { a.leave() }, nil, "", "[cancel x1 cancel o1]", "[cancel x1 cancel o1]",
		},
		{"the new one is refused", status(429, time.Minute), nil, nil, bot.Refused, "[]", "[cancel x1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("create", func(string, int) error { time.Sleep(3 * time.Second); return c.reply })
				r.on("cancel", func(string, int) error { time.Sleep(2 * time.Second); return nil })
				asked := propose(r.daemon, "other")
				r.after(time.Second)
				r.send(challenged(old))
				r.after(time.Second)
				if c.early != nil {
					c.early(r, asked)
				}
				r.after(2 * time.Second)
				if c.later != nil {
					c.later(r)
				}
				r.after(5 * time.Second)
				r.want("end", asked.told().Outcome, c.told)
				r.want("withdrawals", r.made("cancel"), c.made)
				r.want("slots", r.slotsUsed(), 0)
				r.daemon.Drain()
				r.after(5 * time.Second)
				r.want("withdrawals by the drain", r.made("cancel"), c.drain)
			})
		})
	}
}
