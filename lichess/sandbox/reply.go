package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// reply is a whole answer that is not a stream.
type reply struct {
	status int
	kind   string // content type
	body   []byte
	stream func(*call) // set when the answer is a stream; the rest is empty then
}

// apiError is an answer that refuses, usable as an error.
type apiError struct {
	status int
	text   string
	body   any // what is sent; nil sends {"error": text}
}

func (e *apiError) Error() string { return fmt.Sprintf("%d %s", e.status, e.text) }

func (e *apiError) reply() reply {
	if e.body != nil {
		return jsonReply(e.status, e.body)
	}
	return jsonReply(e.status, map[string]string{"error": e.text})
}

func refuse(status int, format string, args ...any) *apiError {
	return &apiError{status: status, text: fmt.Sprintf(format, args...)}
}

// refuseForm is the form error of create, AI and chat: the fields at the top and again
// under "error".
func refuseForm(field, message string) *apiError {
	fields := map[string][]string{field: {message}}
	return &apiError{
		status: http.StatusBadRequest, text: field + ": " + message,
		body: map[string]any{field: fields[field], "error": fields},
	}
}

type rateLimitJSON struct {
	Key     string `json:"key"`
	Seconds int    `json:"seconds"`
}

// refuseLimit is a refusal that says which limit and for how long.
func refuseLimit(status int, text, key string, wait time.Duration) *apiError {
	return &apiError{status: status, text: text, body: struct {
		Error string        `json:"error"`
		Limit rateLimitJSON `json:"ratelimit"`
	}{text, rateLimitJSON{key, int((wait + time.Second - 1) / time.Second)}}}
}

// tooMany is the general 429.
func tooMany() *apiError {
	return refuse(http.StatusTooManyRequests, "Too many requests. Try again later.")
}

func jsonReply(status int, v any) reply {
	return reply{status: status, kind: "application/json", body: encode(v)}
}

func okReply() reply { return jsonReply(http.StatusOK, map[string]bool{"ok": true}) }

// encode gives the JSON of v, without a newline. Our own values always have one.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("sandbox: encode %T: %v", v, err))
	}
	return data
}

// htmlReply is what the proxy in front of the server answers.
func htmlReply(status int) reply {
	title := fmt.Sprintf("%d %s", status, http.StatusText(status))
	// Padding as browsers' error pages have it: real ones are 1.6 kB long.
	body := "<html>\r\n<head><title>" + title + "</title></head>\r\n<body>\r\n<center><h1>" + title +
		"</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
	for len(body) < 1600 {
		body += "<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n"
	}
	return reply{status: status, kind: "text/html", body: []byte(body)}
}

func (rep reply) write(w http.ResponseWriter) {
	if rep.kind != "" {
		w.Header().Set("Content-Type", rep.kind)
	}
	w.WriteHeader(rep.status)
	_, _ = w.Write(rep.body) // a client that has gone is no concern of ours
}
