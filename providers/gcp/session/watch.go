package session

import (
	"context"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// asked is what one call of a client asks of Google. It may take several requests: a list has pages, and a token that is
// refused is renewed. What the last one came to only the client can read out of the answer.
type asked struct {
	service, operation string

	answer driver.Call
	end    func(driver.Call) // of the request under way; nil if none is
}

type askedKey struct{}

// ended says that the request under way came to err.
func (a *asked) ended(err error) {
	if a.end == nil {
		return
	}
	a.answer.Failed, a.answer.Code = err != nil, driver.CodeOf(err)
	a.end(a.answer)
	a.end = nil
}

// watched is a transport that tells calls of every request that is made on behalf of what was asked.
type watched struct {
	calls driver.Host
	base  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	a, ok := r.Context().Value(askedKey{}).(*asked)
	if !ok {
		return w.base.RoundTrip(r)
	}
	a.ended(byAnswer(a.answer)) // the page or the refusal before
	ctx, end := w.calls.Begin(r.Context(), a.service, a.operation)
	response, err := w.base.RoundTrip(r.WithContext(ctx))
	a.end, a.answer = end, answerOf(response)
	return response, err
}

// watchedStep is a transport for the steps to an identity. They are told from each other by where they lead.
type watchedStep watched

// RoundTrip implements http.RoundTripper.
func (w *watchedStep) RoundTrip(r *http.Request) (*http.Response, error) {
	service, operation := "oauth2", "token"
	switch {
	case strings.HasSuffix(r.URL.Path, ":generateAccessToken"):
		service, operation = "iamcredentials", "generateAccessToken"
	case r.URL.Path == "/v1/token":
		service = "sts"
	case r.Method == http.MethodGet:
		service = "metadata" // of the machine, for the identity of the process
	}
	ctx, end := w.calls.Begin(r.Context(), service, operation)
	response, err := w.base.RoundTrip(r.WithContext(ctx))
	answer := answerOf(response)
	if refusal := byAnswer(answer); refusal != nil {
		answer.Failed, answer.Code = true, driver.CodeOf(refusal)
	}
	end(answer)
	return response, err
}

// answerOf reads what the head of an answer says. No answer is nil.
func answerOf(response *http.Response) driver.Call {
	if response == nil {
		return driver.Call{}
	}
	answer := driver.Call{Status: response.StatusCode}
	for _, name := range []string{"X-Goog-Request-Id", "X-Guploader-Uploadid"} {
		if id := response.Header.Get(name); id != "" {
			answer.RequestID = id
			break
		}
	}
	return answer
}

// byAnswer returns what an answer means by its status alone; nil if it is no refusal.
func byAnswer(answer driver.Call) error {
	switch code, ok := byStatus[answer.Status]; {
	case answer.Status/100 == 2:
		return nil
	case ok:
		return &driver.Error{Code: code}
	case answer.Status == 0 || answer.Status >= 500:
		return &driver.Error{Code: driver.Unavailable}
	default:
		return &driver.Error{Code: driver.Internal}
	}
}

// watch lets calls be told of the requests that the function makes with the context that it gets.
func (s *Session) watch(ctx context.Context, service, operation string) (context.Context, func(error)) {
	if s.calls == nil {
		return ctx, func(error) {}
	}
	a := &asked{service: service, operation: operation}
	return context.WithValue(ctx, askedKey{}, a), a.ended
}

// onBehalf returns a client whose requests have the values of ctx too. Google's packages for tokens make theirs without a
// context, and who is told of them could not say what they are a part of.
func onBehalf(ctx context.Context, client *http.Client) *http.Client {
	own := *client
	own.Transport = &valued{ctx, client.Transport}
	return &own
}

type valued struct {
	values context.Context
	base   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (v *valued) RoundTrip(r *http.Request) (*http.Response, error) {
	return v.base.RoundTrip(r.WithContext(both{r.Context(), v.values})) //nolint:contextcheck // it is the request's own, with more values
}

// both is a context with the values of another.
type both struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (b both) Value(key any) any {
	if value := b.Context.Value(key); value != nil {
		return value
	}
	return b.values.Value(key)
}
