package sandbox

// faultBefore lets the faults that come before handling happen; false means that the call
// has been dealt with.
func (c *call) faultBefore(entry int) bool {
	f := c.s.faults
	account := ""
	if c.account != nil {
		account = c.account.id
	}
	if !sleep(c.r.Context(), f.delay(c.endpoint, account, c.gameID, inward)) {
		c.done(entry, 0, "gone")
		return false
	}
	if !isStream(c.endpoint) {
		if _, ok := f.take(c.endpoint, account, c.gameID, Reset); ok {
			c.done(entry, 0, string(Reset))
			c.breakConnection(true)
			return false
		}
	}
	if fault, ok := f.take(c.endpoint, account, c.gameID, Hang); ok {
		c.lateAnswer(entry, fault)
		return false
	}
	if fault, ok := f.take(c.endpoint, account, c.gameID, Fail); ok {
		if fault.Header != "" {
			c.w.Header().Set("Retry-After", fault.Header)
		}
		rep := fault.answer()
		if !sleep(c.r.Context(), f.delay(c.endpoint, account, c.gameID, outward)) {
			return false
		}
		c.done(entry, rep.status, string(Fail))
		rep.write(c.w)
		return false
	}
	return true
}

// faultAfter lets the faults that come after handling happen; false means that the answer
// was lost.
func (c *call) faultAfter(entry int) bool {
	f := c.s.faults
	account := ""
	if c.account != nil {
		account = c.account.id
	}
	if fault, ok := f.take(c.endpoint, account, c.gameID, Lost); ok {
		if fault.As == Reset {
			c.done(entry, 0, string(Lost))
			c.breakConnection(true)
			return false
		}
		c.lateAnswer(entry, fault)
		return false
	}
	if !sleep(c.r.Context(), f.delay(c.endpoint, account, c.gameID, outward)) {
		c.done(entry, 0, "gone")
		return false
	}
	return true
}

// lateAnswer says nothing for the fault's time and then answers with its code, or breaks.
func (c *call) lateAnswer(entry int, fault Fault) {
	if fault.For > 0 && fault.Code > 0 {
		if sleep(c.r.Context(), fault.For) {
			rep := fault.answer()
			c.done(entry, rep.status, string(fault.Kind))
			rep.write(c.w)
			return
		}
	}
	if fault.For == 0 && fault.Code > 0 {
		rep := fault.answer()
		c.done(entry, rep.status, string(fault.Kind))
		rep.write(c.w)
		return
	}
	c.done(entry, 0, string(fault.Kind))
	c.holdOpen(fault.For)
}
