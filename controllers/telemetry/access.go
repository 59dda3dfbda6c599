package telemetry

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// RequireAccess returns a filter that restricts who may scrape the metrics. A request needs a bearer token that the API
// server accepts, and the user needs the verb get on the nonResourceURL /metrics. The API server is asked at each
// scrape. Mooring needs permission to create TokenReviews and SubjectAccessReviews for that.
//
// controller-runtime has a filter that does the same, but it links gRPC and the tracing of k8s.io/apiserver into the
// program.
func RequireAccess(cfg *rest.Config, httpClient *http.Client) (metricsserver.Filter, error) {
	clients, err := kubernetes.NewForConfigAndClient(cfg, httpClient)
	if err != nil {
		return nil, fmt.Errorf("ask the API server who may read metrics: %w", err)
	}
	return func(log logr.Logger, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status, err := access(r, clients)
			switch {
			case err != nil:
				log.Error(err, "the API server does not say who may read metrics; nobody reads them")
				http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
			case status != http.StatusOK:
				http.Error(w, http.StatusText(status), status)
			default:
				next.ServeHTTP(w, r)
			}
		}), nil
	}, nil
}

// access returns 200 if whoever sent a request may have it answered, else 401 or 403.
func access(r *http.Request, clients kubernetes.Interface) (status int, err error) {
	token, sent := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !sent || token == "" {
		return http.StatusUnauthorized, nil
	}
	who, err := clients.AuthenticationV1().TokenReviews().Create(r.Context(), &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token},
	}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("create TokenReview: %w", err)
	}
	if !who.Status.Authenticated {
		return http.StatusUnauthorized, nil
	}
	user := who.Status.User
	extra := map[string]authorizationv1.ExtraValue{}
	for key, values := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(values)
	}
	may, err := clients.AuthorizationV1().SubjectAccessReviews().Create(r.Context(), &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
			NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: r.URL.Path, Verb: strings.ToLower(r.Method)},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("create SubjectAccessReview: %w", err)
	}
	if !may.Status.Allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
