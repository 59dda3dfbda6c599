package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Google's clients take any object of JSON for an answer, and read one that somebody else gives as an object on which nothing is set. So each answer is
// checked here, before a client reads it, by the kind that Google's APIs write into their answers. An operation that is not known here gets no answer at all.

// An Answer says by what the answers to an operation are known.
type Answer struct {
	// Kind is what the member "kind" says.
	Kind string
	// Members are those of an answer without a kind: it has one of them, or nothing at all. Google leaves the kind out of some empty lists, of parts of an
	// answer that were asked for, and of some newer APIs.
	Members []string
	// Nothing: there is nothing to say, and what is said does not matter if it is no page and no object of others.
	Nothing bool
}

type answerKey struct{}

// expecting returns a context whose requests are those of an operation with such answers.
func expecting(ctx context.Context, operation string, a Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, expected{operation, a})
}

// expected is what is known of the answer to the operation that a request is of.
type expected struct {
	operation string
	answer    Answer
}

// genuine is a transport that lets only those answers pass that Google can have given to the operation. Refusals pass: what they say is read with as much care
// elsewhere.
type genuine struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (g genuine) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := g.base.RoundTrip(r)
	if err != nil || response.StatusCode/100 != 2 {
		return response, err
	}
	want, _ := r.Context().Value(answerKey{}).(expected)
	text, err := io.ReadAll(response.Body)
	if err != nil { // the connection broke, which the client finds out as well
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(text), response.Body), response.Body}
		return response, nil //nolint:nilerr // and may try again
	}
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if why := want.answer.problem(text); why != "" {
		return nil, &driver.Error{Code: driver.Unavailable, Op: want.operation, Message: fmt.Sprintf(
			"the answer is not from Google Cloud: %s; check the endpoint, and look for a proxy that answers in its place", why)}
	}
	return response, nil
}

// problem says what is wrong with an answer; empty if nothing is.
func (a Answer) problem(text []byte) string {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(text, &have); err != nil || have == nil {
		if a.Nothing && !strings.HasPrefix(string(bytes.TrimSpace(text)), "<") {
			return ""
		}
		return "it is no object of JSON"
	}
	if a.Nothing && len(have) == 0 {
		return ""
	}
	if raw, ok := have["kind"]; ok && a.Kind != "" {
		var kind string
		if json.Unmarshal(raw, &kind) != nil || kind != a.Kind {
			return fmt.Sprintf("its kind is %.40q and not %q", kind, a.Kind)
		}
		return ""
	}
	if a.Members == nil {
		return "it does not say of which kind it is"
	}
	if len(have) > 0 && !slices.ContainsFunc(a.Members, func(member string) bool { return have[member] != nil }) {
		return "it has no member that an answer to the operation has"
	}
	return ""
}
