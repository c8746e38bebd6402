package bot

import "time"

// alarm is a timer that can be set, moved and cleared by the loop that owns it. A cleared
// alarm never rings, whatever it was about to do.
type alarm struct {
	timer *time.Timer
	at    time.Time // zero when not set
}

func newAlarm() *alarm {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &alarm{timer: t}
}

// set makes the alarm ring once after d.
func (a *alarm) set(d time.Duration) {
	a.at = time.Now().Add(d)
	a.timer.Reset(d)
}

// setOnce is set unless the alarm is already set.
func (a *alarm) setOnce(d time.Duration) {
	if a.at.IsZero() {
		a.set(d)
	}
}

// clear makes sure that the alarm does not ring.
func (a *alarm) clear() {
	a.at = time.Time{}
	a.timer.Stop()
}

// rings is the channel to wait on; the receiver must call rang.
func (a *alarm) rings() <-chan time.Time { return a.timer.C }

// rang notes that the alarm has rung.
func (a *alarm) rang() { a.at = time.Time{} }
