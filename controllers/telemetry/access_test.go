package telemetry

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"
)

// Metrics are read by those whom the API server knows and lets get /metrics; an API server that does not answer lets nobody.
func TestRequireAccess(t *testing.T) {
	down := false
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var answer any
		switch {
		case down:
			http.Error(w, "down", http.StatusInternalServerError)
			return
		case strings.HasSuffix(r.URL.Path, "/tokenreviews"):
			review := authenticationv1.TokenReview{}
			_ = json.Unmarshal(body, &review)
			review.Status.Authenticated = review.Spec.Token != "wrong"
			review.Status.User.Username = review.Spec.Token
			answer = review
		case strings.HasSuffix(r.URL.Path, "/subjectaccessreviews"):
			review := authorizationv1.SubjectAccessReview{}
			_ = json.Unmarshal(body, &review)
			a := review.Spec.NonResourceAttributes
			review.Status.Allowed = review.Spec.User == "prometheus" && a != nil && a.Path == "/metrics" && a.Verb == "get"
			answer = review
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer api.Close()
	filter, err := RequireAccess(&rest.Config{Host: api.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	shown := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "metrics") })
	handler, err := filter(logr.Discard(), shown)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, authorization string
		down                bool
		want                int
	}{
		{"nobody", "", false, http.StatusUnauthorized},
		{"no token", "Bearer ", false, http.StatusUnauthorized},
		{"another scheme", "Basic cHJvbWV0aGV1czo=", false, http.StatusUnauthorized},
		{"a token that is not known", "Bearer wrong", false, http.StatusUnauthorized},
		{"who may not", "Bearer somebody", false, http.StatusForbidden},
		{"who may", "Bearer prometheus", false, http.StatusOK},
		{"the API server is down", "Bearer prometheus", true, http.StatusInternalServerError},
	} {
		t.Run(c.name, func(t *testing.T) {
			down = c.down
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			r.Header.Set("Authorization", c.authorization)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != c.want || (w.Body.String() == "metrics") != (c.want == http.StatusOK) {
				t.Errorf("%d, %q; want %d", w.Code, w.Body, c.want)
			}
		})
	}
}
