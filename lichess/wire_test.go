package lichess_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
)

func ptr[T any](v T) *T { return &v }

// One line of every shape that the wire has, as the server writes it.
const (
	boardStart = `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`
	gameStart  = `{"type":"gameStart","game":{"fullId":"Qw3rTy7uAb1c","gameId":"Qw3rTy7u","fen":"` + boardStart + `","color":"black","lastMove":"","source":"friend","status":{"id":20,"name":"started"},"variant":{"key":"standard","name":"Standard"},"speed":"blitz","perf":"blitz","rated":false,"hasMoved":false,"opponent":{"id":"janedoe","username":"JaneDoe","rating":1712},"isMyTurn":false,"secondsLeft":180,"rating":2010,"compat":{"bot":true,"board":true},"id":"Qw3rTy7u"}}`
	aiFinish   = `{"type":"gameFinish","game":{"fullId":"Qw3rTy7uAb1c","gameId":"Qw3rTy7u","fen":"` + boardStart + `","color":"white","lastMove":"","source":"ai","status":{"id":25,"name":"aborted"},"variant":{"key":"standard","name":"Standard"},"speed":"correspondence","perf":"correspondence","rated":false,"hasMoved":false,"opponent":{"id":null,"username":"Stockfish level 3","ai":3},"isMyTurn":false,"rating":2393,"compat":{"bot":true,"board":true},"id":"Qw3rTy7u"}}`
	finish     = `{"type":"gameFinish","game":{"fullId":"Qw3rTy7uAb1c","gameId":"Qw3rTy7u","fen":"` + boardStart + `","color":"black","lastMove":"d8h4","source":"friend","status":{"id":30,"name":"mate"},"variant":{"key":"standard","name":"Standard"},"speed":"blitz","perf":"blitz","rated":true,"hasMoved":true,"opponent":{"id":"janedoe","username":"JaneDoe","rating":1712,"ratingDiff":0},"isMyTurn":false,"secondsLeft":0,"tournamentId":"arena123","winner":"black","rating":2010,"ratingDiff":0,"compat":{"bot":true,"board":true},"id":"Qw3rTy7u"}}`
	challenge  = `{"type":"challenge","challenge":{"id":"Zx9Cv8Bn","url":"https://host/Zx9Cv8Bn","status":"created","challenger":{"id":"otherbot","name":"OtherBot","rating":2103,"title":"BOT","online":true,"lag":4},"destUser":{"id":"gobot","name":"GoBot","rating":2010,"title":"BOT","provisional":true,"online":true,"lag":4},"variant":{"key":"standard","name":"Standard","short":"Std"},"rated":true,"speed":"blitz","timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"},"color":"random","finalColor":"white","perf":{"icon":"\ue01d","name":"Blitz"}},"compat":{"bot":true,"board":true}}`
	replayed   = `{"type":"challenge","challenge":{"id":"Zx9Cv8Bn","url":"u","status":"created","challenger":null,"destUser":null,"variant":{"key":"chess960","name":"Chess960","short":"960"},"rated":false,"speed":"bullet","timeControl":{"type":"clock","limit":0,"increment":1,"show":"0+1"},"color":"black","finalColor":"black","perf":{"icon":"","name":"Chess960"},"initialFen":"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1","rematchOf":"Qw3rTy7u"}}`
	unlimited  = `{"type":"challengeCanceled","challenge":{"id":"Zx9Cv8Bn","url":"u","status":"canceled","challenger":{"id":"a","name":"A"},"destUser":{"id":"b","name":"B"},"variant":{"key":"standard","name":"Standard","short":"Std"},"rated":false,"speed":"correspondence","timeControl":{"type":"unlimited"},"color":"white","finalColor":"white","perf":{"icon":"","name":"Correspondence"}}}`
	declined   = `{"type":"challengeDeclined","challenge":{"id":"Zx9Cv8Bn","url":"u","status":"declined","challenger":{"id":"a","name":"A","patron":true,"patronColor":2,"flair":"x.y"},"destUser":{"id":"b","name":"B"},"variant":{"key":"standard","name":"Standard","short":"Std"},"rated":false,"speed":"correspondence","timeControl":{"type":"correspondence","daysPerTurn":14},"color":"white","finalColor":"white","perf":{"icon":"","name":"Correspondence"},"declineReason":"No.","declineReasonKey":"timecontrol"}}`

	full      = `{"id":"Qw3rTy7u","variant":{"key":"standard","name":"Standard","short":"Std"},"speed":"blitz","perf":{"name":"Blitz"},"rated":false,"createdAt":1796000000000,"white":{"id":"janedoe","name":"JaneDoe","title":null,"rating":1712},"black":{"id":"gobot","name":"GoBot","title":"BOT","rating":2010,"provisional":true},"initialFen":"startpos","clock":{"initial":180000,"increment":2000},"type":"gameFull","state":{"type":"gameState","moves":"","wtime":180000,"btime":180000,"winc":2000,"binc":2000,"status":"started"}}`
	fullAI    = `{"id":"Qw3rTy7u","variant":{"key":"fromPosition","name":"From Position","short":"FEN"},"speed":"correspondence","perf":{"name":"Correspondence"},"rated":false,"createdAt":1796000000000,"white":{"aiLevel":8},"black":{},"initialFen":"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1","daysPerTurn":3,"type":"gameFull","state":{"type":"gameState","moves":"e1f1","wtime":2147483647,"btime":2147483647,"winc":0,"binc":0,"status":"created"}}`
	fullArena = `{"id":"Qw3rTy7u","variant":{"key":"standard","name":"Standard","short":"Std"},"speed":"bullet","perf":{"name":"Bullet"},"rated":true,"createdAt":1796000000000,"white":{"id":"a","name":"A","title":"GM"},"black":{"rating":1500},"initialFen":"startpos","clock":{"initial":0,"increment":1000},"tournamentId":"arena123","type":"gameFull","state":{"type":"gameState","moves":"","wtime":3000,"btime":3000,"winc":1000,"binc":1000,"status":"started","expiration":{"idleMillis":4000,"millisToMove":20000}}}`
	state     = `{"type":"gameState","moves":"e2e4 c7c5 g1f3","wtime":181990,"btime":0,"winc":2000,"binc":2000,"status":"started","wdraw":true,"btakeback":true}`
	mated     = `{"type":"gameState","moves":"f2f3 e7e5 g2g4 d8h4","wtime":180730,"btime":178900,"winc":2000,"binc":2000,"status":"mate","winner":"black","rematch":"Nx7tGame"}`
	chat      = `{"type":"chatLine","username":"lichess","text":"White offers draw é♞","room":"player"}`
	gone      = `{"type":"opponentGone","gone":true,"claimWinInSeconds":0}`
	back      = `{"type":"opponentGone","gone":false}`
)

func TestEventsAreReadAndWrittenAsTheServerWritesThem(t *testing.T) {
	for name, line := range map[string]string{
		"game start": gameStart, "aborted game against the AI, id null": aiFinish,
		"rated draw of rating difference 0 and 0 seconds": finish, "challenge": challenge,
		"replayed challenge of an anonymous challenger, limit 0": replayed, "unlimited": unlimited, "correspondence, declined": declined,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := lichess.ParseEvent([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, e, line)
		})
	}
}

func TestGameLinesAreReadAndWrittenAsTheServerWritesThem(t *testing.T) {
	for name, line := range map[string]string{
		"game with a title null": full, "AI without id against nobody, no clock": fullAI, "arena game with expiration": fullArena,
		"state with flags and a clock at 0": state, "mate": mated, "chat": chat, "opponent gone, win now": gone, "opponent back": back,
	} {
		t.Run(name, func(t *testing.T) {
			l, err := lichess.ParseGameLine([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			var v any
			switch {
			case l.Full != nil:
				v = l.Full
			case l.State != nil:
				v = l.State
			case l.Chat != nil:
				v = l.Chat
			case l.Gone != nil:
				v = l.Gone
			}
			sameJSON(t, v, line)
		})
	}
}

// sameJSON compares a value, written, with the line that it was read from: same keys, same
// order, same absences.
func sameJSON(t *testing.T, v any, line string) {
	t.Helper()
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	// Both through the same writer, so that escapes do not matter.
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(line)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unescape(t, want.String()), unescape(t, string(got))); diff != "" {
		t.Errorf("written line differs (-read +written):\n%s", diff)
	}
}

// unescape writes the tokens of a JSON text one a line.
func unescape(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var b strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		j, _ := json.Marshal(token)
		b.Write(j)
		b.WriteByte('\n')
	}
}

func TestFieldsOfALine(t *testing.T) {
	e, err := lichess.ParseEvent([]byte(finish))
	if err != nil {
		t.Fatal(err)
	}
	want := &lichess.Event{Type: lichess.EventGameFinish, Game: &lichess.GameInfo{
		FullID: "Qw3rTy7uAb1c", GameID: "Qw3rTy7u", ID: "Qw3rTy7u", FEN: boardStart, Color: lichess.Black, LastMove: "d8h4",
		Source: "friend", Status: lichess.GameStatusOf(lichess.StatusMate), Variant: lichess.Variant{Key: lichess.Standard, Name: "Standard"},
		Speed: lichess.Blitz, Perf: "blitz", Rated: true, HasMoved: true, Opponent: lichess.Opponent{ID: "janedoe", Username: "JaneDoe", Rating: 1712, RatingDiff: ptr(0)},
		SecondsLeft: ptr(0), TournamentID: "arena123", Winner: lichess.Black, Rating: 2010, RatingDiff: ptr(0), Compat: &lichess.Compat{Bot: true, Board: true},
	}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}

	l, err := lichess.ParseGameLine([]byte(state))
	if err != nil {
		t.Fatal(err)
	}
	s := l.State
	if got := strings.Join(s.MoveList(), ","); got != "e2e4,c7c5,g1f3" {
		t.Errorf("moves: got %s", got)
	}
	if s.Time(lichess.White).Duration() != 181990*time.Millisecond || s.Time(lichess.Black) != 0 || s.Inc(lichess.Black) != 2000 {
		t.Errorf("clocks: got %v %v +%v", s.Time(lichess.White), s.Time(lichess.Black), s.Inc(lichess.Black))
	}
	if !s.DrawOffered(lichess.White) || s.DrawOffered(lichess.Black) || s.TakebackProposed(lichess.White) || !s.TakebackProposed(lichess.Black) {
		t.Errorf("flags: got %+v", s)
	}

	l, err = lichess.ParseGameLine([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := l.Full.ColorOf("GoBot"); c != lichess.Black || !ok {
		t.Errorf("our colour: got %q %v", c, ok)
	}
	if c, ok := l.Full.ColorOf("somebody"); ok {
		t.Errorf("a stranger's colour: got %q", c)
	}
	if !l.Full.Player(lichess.Black).IsBot() || l.Full.Player(lichess.White).IsBot() {
		t.Errorf("who is a bot: got %+v %+v", l.Full.White, l.Full.Black)
	}
}

func TestTypeMayStandAnywhere(t *testing.T) {
	want, err := lichess.ParseGameLine([]byte(state))
	if err != nil {
		t.Fatal(err)
	}
	bare, found := strings.CutPrefix(state, `{"type":"gameState",`)
	if !found {
		t.Fatalf("the state does not begin with its type: %s", state)
	}
	for _, line := range []string{`{ "type" : "gameState" ,` + bare, "{" + strings.TrimSuffix(bare, "}") + `,"type":"gameState"}`} {
		got, err := lichess.ParseGameLine([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-type first +got):\n%s", line, diff)
		}
	}
}

// One odd field must not cost the line; a state without what is played from must not pass.
func TestOddFields(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want string // part of the error; "" when the line is to be read
	}{
		"game with nothing but an id":      {`{"type":"gameStart","game":{"gameId":"abcd1234","id":"abcd1234"}}`, ""},
		"game with a full id only":         {`{"type":"gameStart","game":{"fullId":"abcd1234wxyz"}}`, ""},
		"rating null, status a text":       {`{"type":"gameStart","game":{"gameId":"abcd1234","rating":null,"status":"started","secondsLeft":1.5}}`, ""},
		"opponent a number":                {`{"type":"gameStart","game":{"gameId":"abcd1234","opponent":7}}`, ""},
		"rating a fraction, variant text":  {`{"type":"challenge","challenge":{"id":"c1","variant":"standard","challenger":{"rating":1500.5,"title":null}}}`, ""},
		"game without an id":               {`{"type":"gameStart","game":{}}`, "without a game id"},
		"game missing":                     {`{"type":"gameFinish"}`, "without a game id"},
		"challenge without an id":          {`{"type":"challenge","challenge":{}}`, "without a challenge id"},
		"unknown type":                     {`{"type":"somethingNew","x":1}`, "unknown type"},
		"no type":                          {`{}`, "unknown type"},
		"list":                             {`[]`, "unknown type"},
		"number":                           {`42`, "unknown type"},
		"not JSON":                         {`not json`, "invalid character"},
		"cut":                              {`{"type":"gameSta`, "unexpected end"},
		"two values in a line":             {`{} {}`, "invalid character"},
		"an id that is a number":           {`{"type":"challenge","challenge":{"id":42}}`, "without a challenge id"},
		"full id too short to hold the id": {`{"type":"gameStart","game":{"fullId":"abc"}}`, "without a game id"},
	} {
		t.Run("event: "+name, func(t *testing.T) { wantError(t, second(lichess.ParseEvent([]byte(c.line))), c.want) })
	}
	for name, c := range map[string]struct{ line, want string }{
		"title a number":        {`{"type":"gameFull","id":"a","white":{"id":"x","title":3},"perf":"blitz","state":` + state + `}`, ""},
		"clock null":            {`{"type":"gameFull","id":"a","clock":null,"state":` + state + `}`, ""},
		"increment a text":      {`{"type":"gameState","moves":"","status":"started","winc":"2"}`, ""},
		"full without a state":  {`{"type":"gameFull","id":"a"}`, "without state"},
		"full without an id":    {`{"type":"gameFull","state":` + state + `}`, "without id"},
		"full, state odd":       {`{"type":"gameFull","id":"a","state":{"moves":1,"status":"started"}}`, "moves"},
		"no moves":              {`{"type":"gameState","status":"started","wtime":1,"btime":1}`, "without moves"},
		"moves null":            {`{"type":"gameState","moves":null,"status":"started"}`, "without moves"},
		"moves a list":          {`{"type":"gameState","moves":["e2e4"],"status":"started"}`, "moves"},
		"no status":             {`{"type":"gameState","moves":""}`, "without status"},
		"status empty":          {`{"type":"gameState","moves":"","status":""}`, "empty status"},
		"clock a text":          {`{"type":"gameState","moves":"","status":"started","wtime":"180"}`, "wtime"},
		"clock null is no time": {`{"type":"gameState","moves":"","status":"started","btime":null}`, "without btime"},
		"countdown a text":      {`{"type":"opponentGone","gone":true,"claimWinInSeconds":"8"}`, "claimWinInSeconds"},
		"unknown type":          {`{"type":"berserk"}`, "unknown type"},
		"list":                  {`[1]`, "unknown type"},
	} {
		t.Run("game line: "+name, func(t *testing.T) { wantError(t, second(lichess.ParseGameLine([]byte(c.line))), c.want) })
	}
}

func second[T any](_ T, err error) error { return err }

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got error %v, want none", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got error %v, want one with %q", err, want)
	}
}

func TestClocksThatAreAbsentAreUnlimited(t *testing.T) {
	l, err := lichess.ParseGameLine([]byte(`{"type":"gameState","moves":"","status":"started"}`))
	if err != nil {
		t.Fatal(err)
	}
	if l.State.WTime != lichess.UnlimitedMillis || l.State.BTime != lichess.UnlimitedMillis {
		t.Errorf("got %d and %d, want %d", l.State.WTime, l.State.BTime, lichess.UnlimitedMillis)
	}
}

func TestGoneCountdown(t *testing.T) {
	for line, want := range map[string]*time.Duration{
		gone: ptr(time.Duration(0)),
		back: nil,
		`{"type":"opponentGone","gone":true,"claimWinInSeconds":35}`:  ptr(35 * time.Second),
		`{"type":"opponentGone","gone":true}`:                         nil,
		`{"type":"opponentGone","gone":false,"claimWinInSeconds":3}`:  nil,
		`{"type":"opponentGone","gone":true,"claimWinInSeconds":-10}`: ptr(time.Duration(0)),
	} {
		l, err := lichess.ParseGameLine([]byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(want, l.Gone.ClaimWinIn); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestMillisFitDurations(t *testing.T) {
	for m, want := range map[lichess.Millis]time.Duration{
		0: 0, -5: -5 * time.Millisecond, lichess.UnlimitedMillis: 2147483647 * time.Millisecond,
		1 << 62: 9223372036854 * time.Millisecond, -1 << 63: -9223372036854 * time.Millisecond,
	} {
		if got := m.Duration(); got != want {
			t.Errorf("%d ms: got %v, want %v", m, got, want)
		}
	}
}

func TestSpeedBounds(t *testing.T) {
	for _, c := range []struct {
		limit, increment int
		want             lichess.Speed
	}{
		{15, 0, lichess.UltraBullet},
		{29, 0, lichess.UltraBullet},
		{30, 0, lichess.Bullet},
		{0, 1, lichess.Bullet},
		{179, 0, lichess.Bullet},
		{60, 3, lichess.Blitz},
		{180, 0, lichess.Blitz},
		{180, 7, lichess.Blitz},
		{180, 8, lichess.Rapid},
		{480, 0, lichess.Rapid},
		{600, 22, lichess.Rapid},
		{1500, 0, lichess.Classical},
		{10800, 180, lichess.Classical},
		{10800, 270, lichess.Correspondence},
	} {
		if got := lichess.SpeedOf(c.limit, c.increment); got != c.want {
			t.Errorf("%d+%d: got %s, want %s", c.limit, c.increment, got, c.want)
		}
	}
}

func TestClockIsShownAsTheSiteDoes(t *testing.T) {
	for want, c := range map[string][2]int{
		"¼+0": {15, 0}, "½+1": {30, 1}, "¾+0": {45, 0}, "1+0": {60, 0}, "1.5+2": {90, 2}, "3+2": {180, 2}, "0+1": {0, 1}, "180+60": {10800, 60},
	} {
		if got := lichess.ShowClock(c[0], c[1]); got != want {
			t.Errorf("%d+%d: got %s, want %s", c[0], c[1], got, want)
		}
	}
}

func TestOnlyCreatedAndStartedAreRunning(t *testing.T) {
	for s, want := range map[lichess.Status]bool{
		"created": false, "started": false, "": false, "aborted": true, "mate": true, "resign": true, "stalemate": true, "timeout": true, "draw": true,
		"outoftime": true, "cheat": true, "noStart": true, "unknownFinish": true, "insufficientMaterialClaim": true, "variantEnd": true, "futureName": true,
	} {
		if got := s.Over(); got != want {
			t.Errorf("%q over: got %v, want %v", s, got, want)
		}
		if g := lichess.GameStatusOf(s); g.Over() != want {
			t.Errorf("%+v over: got %v, want %v", g, g.Over(), want)
		}
	}
	if !(lichess.GameStatus{ID: 61}).Over() {
		t.Error("status of an unknown number above 25: got running, want over")
	}
}

func TestVariantsNameThemselves(t *testing.T) {
	for key, want := range map[lichess.VariantKey][2]string{
		"standard": {"Standard", "Std"}, "chess960": {"Chess960", "960"}, "crazyhouse": {"Crazyhouse", "Crazy"}, "antichess": {"Antichess", "Anti"},
		"atomic": {"Atomic", "Atom"}, "horde": {"Horde", "Horde"}, "kingOfTheHill": {"King of the Hill", "KotH"}, "racingKings": {"Racing Kings", "Racing"},
		"threeCheck": {"Three-check", "3check"}, "fromPosition": {"From Position", "FEN"}, "newVariant2027": {"newVariant2027", "newVariant2027"},
	} {
		if got := lichess.VariantOf(key); got != (lichess.Variant{Key: key, Name: want[0], Short: want[1]}) {
			t.Errorf("%s: got %+v", key, got)
		}
	}
}

// Lists give an object and milliseconds where single answers give a key and a text.
func TestTournamentsAreReadInBothShapes(t *testing.T) {
	const list = `{"id":"a","variant":{"key":"antichess","short":"Anti","name":"Antichess"},"startsAt":1783389602500}`
	const single = `{"id":"a","variant":"antichess","startsAt":"2026-07-07T02:00:02.5Z"}`
	for _, text := range []string{list, single} {
		var got lichess.Tournament
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if got.Variant != "antichess" || got.StartsAt.UnixMilli() != 1783389602500 {
			t.Errorf("%s: got %+v", text, got)
		}
		written, err := json.Marshal(got)
		if err != nil || !strings.Contains(string(written), `"variant":"antichess"`) || !strings.Contains(string(written), `"startsAt":1783389602500`) {
			t.Errorf("written: %s, %v", written, err)
		}
	}
}

func TestScopesMayHaveBlanks(t *testing.T) {
	info := lichess.TokenInfo{Scopes: "email:read, bot:play"}
	if !info.HasScope(lichess.ScopeBotPlay) || info.HasScope("bot") || (&lichess.TokenInfo{}).HasScope("") {
		t.Errorf("scopes of %q: got %q", info.Scopes, info.ScopeList())
	}
}
