// Package sandbox is a whole Lichess in one process: accounts and tokens, challenges,
// games with real rules and real clocks, event and game streams, rate limits, and every
// fault of the real network on demand. A bot cannot tell it from the server except by
// its address.
//
// It can be reached over any net.Listener, a loopback one or the in-memory one of Listen,
// which also works inside a testing/synctest bubble, where all its times become virtual:
// make the Server inside the bubble. A test that needs the other side of the board uses
// the Go methods of Server (Challenge, StartGame, Do, Restart, ...) or plugs an Opponent in.
//
// It does not render pages, keep anything on disk or dial anywhere. It writes its own
// JSON and does not share types with the client, so that a mistake in one is not hidden
// by the same mistake in the other.
package sandbox
