// Package bot is the daemon: it accepts challenges, plays every game that exists and
// brings each of them to its end, whatever the network, the server or an engine does
// meanwhile.
//
// One goroutine owns what the daemon knows (games, slots, waiting challenges); one
// goroutine per game owns what is known of that game. Everything slow - requests,
// streams, searches, files - happens beside them and reports back. Nothing that is not
// needed for a move may stand in the way of a move.
//
// The package takes plain values and small interfaces; it reads no environment, handles
// no signals and prints nothing but its log.
package bot
