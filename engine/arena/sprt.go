package arena

import "math"

// SPRT is a sequential probability ratio test: is the first player Elo1 stronger, or only
// Elo0? It ends a match as soon as one of both is likely enough.
type SPRT struct {
	Elo0, Elo1 float64
	// Alpha and Beta are the accepted shares of wrong yes and wrong no; 0 is 0.05.
	Alpha, Beta float64
}

// bounds of the log-likelihood ratio: at or below low Elo0 holds, at or above high Elo1.
func (s SPRT) bounds() (low, high float64) {
	alpha, beta := s.Alpha, s.Beta
	if alpha <= 0 {
		alpha = 0.05
	}
	if beta <= 0 {
		beta = 0.05
	}
	return math.Log(beta / (1 - alpha)), math.Log((1 - beta) / alpha)
}

// LLR is the log-likelihood ratio of Elo1 against Elo0 (logistic Elo) after the finished
// pairs. Each hypothesis only fixes the mean score; of all distributions with that mean the
// one that explains the pairs best speaks for it (generalised SPRT of M. Van den Bergh).
func (s *Score) LLR(test SPRT) float64 {
	// Outcomes that were not seen yet are not impossible.
	const unseen = 1e-3
	var shares [5]float64
	n := 0.0
	for i, c := range s.Pairs {
		shares[i] = max(float64(c), unseen)
		n += shares[i]
	}
	if s.Pairs == [5]int{} {
		return 0
	}
	for i := range shares {
		shares[i] /= n
	}
	s0, s1 := scoreOf(test.Elo0), scoreOf(test.Elo1)
	t0, t1 := tilt(shares, s0), tilt(shares, s1)
	llr := 0.0
	for i, p := range shares {
		score := float64(i) / 4
		llr += n * p * math.Log((1+t0*(score-s0))/(1+t1*(score-s1)))
	}
	return llr
}

// tilt is the t for which the shares p/(1+t(score-mean)) have that mean; they are then the
// likeliest distribution with it. The condition falls monotonically with t.
func tilt(shares [5]float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // beyond, a share would be negative
	for range 100 {
		t := (low + high) / 2
		sum := 0.0
		for i, p := range shares {
			d := float64(i)/4 - mean
			sum += p * d / (1 + t*d)
		}
		if sum > 0 {
			low = t
		} else {
			high = t
		}
	}
	return (low + high) / 2
}

// decided tells that the test has an answer.
func (r *Result) decided() bool { return r.verdict() != "" }

// verdict is "accepted", "rejected", or "" while the test is open. It is only asked after
// whole pairs.
func (r *Result) verdict() string {
	if r.SPRT == nil || r.Games()%2 == 1 {
		return ""
	}
	low, high := r.SPRT.bounds()
	switch llr := r.Pairings[0].LLR(*r.SPRT); {
	case llr >= high:
		return "accepted"
	case llr <= low:
		return "rejected"
	}
	return ""
}
