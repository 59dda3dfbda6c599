package admission

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func newHandler(t *testing.T, validator ValidatorFunc) *handler {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return &handler{validator: validator, decoder: serializer.NewCodecFactory(scheme).UniversalDeserializer(), deadline: 50 * time.Millisecond, deletionDeadline: 50 * time.Millisecond}
}

// refuse is a validator that refuses everything, in two ways.
func refuse(context.Context, Review) (Result, error) {
	return Result{
		Refusals: field.ErrorList{
			field.NotSupported(field.NewPath("spec", "size"), "huge", []string{"small", "large"}),
			field.Forbidden(field.NewPath("spec", "storage", "sizeGiB"), "no disk is larger than 500 GiB"),
		},
		Warnings: []string{"small is about to go"},
	}, nil
}

type tree = map[string]any

// database returns a Database as the API server sends it.
func database(spec tree, metadata tree) tree {
	meta := tree{"name": "orders", "namespace": "shop"}
	maps.Copy(meta, metadata)
	return tree{"apiVersion": "mooring.dev/v1alpha1", "kind": "Database", "metadata": meta, "spec": spec}
}

func request(t *testing.T, operation admissionv1.Operation, object, old tree) admission.Request {
	t.Helper()
	raw := func(o tree) runtime.RawExtension {
		if o == nil {
			return runtime.RawExtension{}
		}
		content, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return runtime.RawExtension{Raw: content}
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind{Group: "mooring.dev", Version: "v1alpha1", Kind: "Database"}, Namespace: "shop", Name: "orders",
		Operation: operation, Object: raw(object), OldObject: raw(old),
	}}
}

// What a validator is not asked about passes, even if all that is asked about is refused.
func TestWhatIsValidated(t *testing.T) {
	const create, update = admissionv1.Create, admissionv1.Update
	small, large := tree{"size": "small"}, tree{"size": "large"}
	deleted := tree{"deletionTimestamp": "2026-01-02T03:04:05Z"}
	for _, tc := range []struct {
		name        string
		operation   admissionv1.Operation
		object, old tree
		want        bool
	}{
		{"a creation", create, database(small, nil), nil, true},
		{"an edit", update, database(large, nil), database(small, nil), true},
		{"an edit from unset to empty", update, database(tree{"tags": tree{}}, nil), database(tree{}, nil), true},
		{"an edit of a number", update, database(tree{"storage": tree{"sizeGiB": 20}}, nil), database(tree{"storage": tree{"sizeGiB": 10}}, nil), true},
		{"a label", update, database(small, tree{"labels": tree{"a": "b"}}), database(small, nil), false},
		{"a finalizer", update, database(small, tree{"finalizers": []string{v1alpha1.FinalizerResource}}), database(small, nil), false},
		{"another annotation", update, database(small, tree{"annotations": tree{v1alpha1.AnnotationReconcile: "x"}}), database(small, nil), false},
		{"the default class", update, database(small, tree{"annotations": tree{v1alpha1.AnnotationDefaultClass: "true"}}), database(small, nil), true},
		{"no default class any more", update, database(small, nil), database(small, tree{"annotations": tree{v1alpha1.AnnotationDefaultClass: "true"}}), true},
		{"a label while being deleted", update, database(small, tree{"deletionTimestamp": "2026-01-02T03:04:05Z", "labels": tree{"a": "b"}}), database(small, deleted), false},
		{"an approval while being deleted", update, database(small, tree{"deletionTimestamp": "2026-01-02T03:04:05Z", "annotations": tree{v1alpha1.AnnotationApprove: "x"}}), database(small, deleted), false},
		{"the last finalizer goes", update, database(small, deleted), database(small, tree{"deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": []string{"a"}}), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			asked := false
			response := newHandler(t, func(ctx context.Context, r Review) (Result, error) {
				asked = true
				if (r.Old == nil) != (tc.operation == create) {
					t.Errorf("the old object: %v", r.Old)
				}
				return refuse(ctx, r)
			}).Handle(t.Context(), request(t, tc.operation, tc.object, tc.old))
			if asked != tc.want || response.Allowed == tc.want {
				t.Errorf("asked %v, allowed %v; want to be asked: %v", asked, response.Allowed, tc.want)
			}
		})
	}
}

// An annotation that decides what is done is previewed, and never refused.
func TestAnnotationsAreValidatedAndPass(t *testing.T) {
	small := tree{"size": "small"}
	for _, name := range []string{v1alpha1.AnnotationAdoptFrom, v1alpha1.AnnotationApprove, v1alpha1.AnnotationPaused} {
		with, without := database(small, tree{"annotations": tree{name: "true"}}), database(small, nil)
		for _, edit := range [][2]tree{{with, without}, {without, with}} {
			var asked *Review
			response := newHandler(t, func(ctx context.Context, r Review) (Result, error) {
				asked = &r
				v, err := refuse(ctx, r)
				v.Warnings = []string{"it restarts"}
				return v, err
			}).Handle(t.Context(), request(t, admissionv1.Update, edit[0], edit[1]))
			if asked == nil || !asked.OnlyAnnotations || !response.Allowed || !slices.Equal(response.Warnings, []string{"Database shop/orders: it restarts"}) {
				t.Errorf("%s: asked %+v, allowed %v, warnings %q", name, asked, response.Allowed, response.Warnings)
			}
		}
	}
}

// What an edit changes in a deletion is previewed, and never refused, and its preview has as little time as that of a deletion.
func TestEditsOfDeletionsAreValidatedAndPass(t *testing.T) {
	const deleted = "2026-01-02T03:04:05Z"
	paused := tree{"deletionTimestamp": deleted, "annotations": tree{v1alpha1.AnnotationPaused: "true"}}
	running := tree{"deletionTimestamp": deleted}
	keep, drop := tree{"deletionPolicy": "Retain"}, tree{"deletionPolicy": "Delete"}
	for _, tc := range []struct {
		name        string
		object, old tree
	}{
		{"the end of a pause", database(keep, running), database(keep, paused)},
		{"a pause", database(keep, paused), database(keep, running)},
		{"another policy", database(drop, running), database(keep, running)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var asked *Review
			h := newHandler(t, func(ctx context.Context, r Review) (Result, error) {
				asked = &r
				if until, ok := ctx.Deadline(); !ok || time.Until(until) > time.Minute {
					t.Errorf("the validation has until %v", until)
				}
				v, err := refuse(ctx, r)
				v.Warnings = []string{"all is lost"}
				return v, err
			})
			h.deadline, h.deletionDeadline = time.Hour, time.Minute
			response := h.Handle(t.Context(), request(t, admissionv1.Update, tc.object, tc.old))
			if asked == nil || !asked.Deleting || asked.Old == nil || !response.Allowed || !slices.Equal(response.Warnings, []string{"Database shop/orders: all is lost"}) {
				t.Errorf("asked %+v, allowed %v, warnings %q", asked, response.Allowed, response.Warnings)
			}
		})
	}
}

// A deletion is allowed whatever is said of it and whatever goes wrong.
func TestDeletionsPass(t *testing.T) {
	small := database(tree{"size": "small"}, nil)
	for _, tc := range []struct {
		name      string
		old       tree
		validator ValidatorFunc
		want      string // words of the one warning
	}{
		{"warned of", small, func(context.Context, Review) (Result, error) { return Result{Warnings: []string{"all is lost"}}, nil }, "all is lost"},
		{"refused", small, refuse, "small is about to go"},
		{"an error", small, func(context.Context, Review) (Result, error) { return Result{}, errors.New("secret") }, "could not say in advance what this deletion does, because of an internal error"},
		{"a panic", small, func(context.Context, Review) (Result, error) { panic("secret") }, "because of an internal error"},
		{"no answer", small, func(context.Context, Review) (Result, error) { select {} }, "took too long"},
		{"not to be read", tree{"apiVersion": "mooring.dev/v2", "kind": "Database"}, refuse, "could not be read"},
		{"asked for again", database(nil, tree{"deletionTimestamp": "2026-01-02T03:04:05Z"}), refuse, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req := request(t, admissionv1.Delete, nil, tc.old)
			req.Name, req.DryRun = "", new(true) // as in a deletion of all at once
			h := newHandler(t, func(ctx context.Context, r Review) (Result, error) {
				if r.Object != nil || r.Old.GetName() != "orders" || r.Old.GetNamespace() != "shop" || !r.DryRun {
					t.Errorf("asked about %+v", r)
				}
				return tc.validator(ctx, r)
			})
			if tc.name != "no answer" { // or a slow machine decides
				h.deletionDeadline = time.Minute
			}
			response := h.Handle(t.Context(), req)
			said := strings.Join(response.Warnings, "\n")
			if !response.Allowed || !strings.Contains(said, tc.want) || strings.Contains(said, "secret") || len(response.Warnings) != min(1, len(tc.want)) {
				t.Errorf("allowed %v, warnings %q; want %q", response.Allowed, said, tc.want)
			}
		})
	}
}

func TestStatusIsNotValidated(t *testing.T) {
	req := request(t, admissionv1.Update, database(tree{"size": "small"}, nil), database(tree{}, nil))
	req.SubResource = "status"
	if response := newHandler(t, refuse).Handle(t.Context(), req); !response.Allowed {
		t.Errorf("refused: %v", response.Result)
	}
}

func TestReview(t *testing.T) {
	var got Review
	req := request(t, admissionv1.Update, database(tree{"size": "large"}, tree{"namespace": ""}), database(tree{"size": "small"}, nil))
	req.DryRun = new(true)
	newHandler(t, func(_ context.Context, r Review) (Result, error) { got = r; return Result{}, nil }).Handle(t.Context(), req)
	of := func(size string) client.Object {
		d := &v1alpha1.Database{
			TypeMeta:   metav1.TypeMeta{APIVersion: "mooring.dev/v1alpha1", Kind: "Database"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"},
		}
		d.Spec.Size = size
		return d
	}
	if diff := cmp.Diff(Review{Object: of("large"), Old: of("small"), DryRun: true}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRefusal(t *testing.T) {
	response := newHandler(t, refuse).Handle(t.Context(), request(t, admissionv1.Create, database(tree{"size": "huge"}, nil), nil))
	want := `Database.mooring.dev "orders" is invalid: [spec.size: Unsupported value: "huge": supported values: "small", "large", ` +
		`spec.storage.sizeGiB: Forbidden: no disk is larger than 500 GiB]`
	if response.Allowed || response.Result.Reason != metav1.StatusReasonInvalid || response.Result.Code != 422 || len(response.Result.Details.Causes) != 2 {
		t.Errorf("%+v", response.Result)
	}
	if diff := cmp.Diff(want, response.Result.Message); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Database shop/orders: small is about to go"}, response.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a refusal quotes makes no second line, and steers no terminal.
func TestARefusalIsOneLineOfWhatIsSeen(t *testing.T) {
	const forged = "a\n* spec.size: allowed\u2028b\x1b[2K\u202ec"
	quote := func(context.Context, Review) (Result, error) {
		return Result{Refusals: field.ErrorList{field.Invalid(field.NewPath("spec", "tags").Key(forged), forged, "it is "+forged)}, Warnings: []string{forged}}, nil
	}
	response := newHandler(t, quote).Handle(t.Context(), request(t, admissionv1.Create, database(tree{"size": "huge"}, nil), nil))
	said := append([]string{response.Result.Message}, response.Warnings...)
	for _, cause := range response.Result.Details.Causes {
		said = append(said, cause.Message, cause.Field)
	}
	for _, text := range said {
		if strings.ContainsAny(text, "\n\u2028\x1b\u202e") || !strings.Contains(text, "spec.size: allowed") {
			t.Errorf("%q", text)
		}
	}
	if len(said) != 4 {
		t.Errorf("%d texts: %q", len(said), said)
	}
}

// What is well-formed and not allowed is Forbidden, with the same causes.
func TestForbidden(t *testing.T) {
	forbid := func(context.Context, Review) (Result, error) {
		return Result{Refusals: field.ErrorList{field.Forbidden(field.NewPath("spec", "size"), "no class has it")}}, nil
	}
	req := request(t, admissionv1.Create, database(tree{"size": "huge"}, nil), nil)
	req.Resource = metav1.GroupVersionResource{Group: "mooring.dev", Version: "v1alpha1", Resource: "databases"}
	result := newHandler(t, forbid).Handle(t.Context(), req).Result
	if result.Reason != metav1.StatusReasonForbidden || result.Code != 403 || len(result.Details.Causes) != 1 || result.Details.Causes[0].Field != "spec.size" {
		t.Errorf("%+v", result)
	}
	if want := "Database shop/orders: spec.size: no class has it"; result.Message != want {
		t.Errorf("%q, want %q", result.Message, want)
	}
}

// Whatever goes wrong inside lets the object pass, and says so without showing what.
func TestCourtesy(t *testing.T) {
	for _, tc := range []struct {
		name      string
		validator ValidatorFunc
		want      string // words of the warning
	}{
		{"an error", func(context.Context, Review) (Result, error) { return Result{}, errors.New("secret") }, "because of an internal error"},
		{"refusals and an error", func(ctx context.Context, r Review) (Result, error) {
			v, _ := refuse(ctx, r)
			return v, errors.New("secret")
		}, "because of an internal error"},
		{"a panic", func(context.Context, Review) (Result, error) { panic("secret") }, "because of an internal error"},
		{"a validator that takes the time there is", func(ctx context.Context, _ Review) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}, "took too long"},
		{"a validator that never comes back", func(context.Context, Review) (Result, error) { select {} }, "took too long"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := newHandler(t, tc.validator)
			if tc.name == "a panic" { // or a slow machine decides
				h.deadline = time.Minute
			}
			response := h.Handle(t.Context(), request(t, admissionv1.Create, database(tree{}, nil), nil))
			said := strings.Join(response.Warnings, "\n")
			if !response.Allowed || !strings.Contains(said, tc.want) || strings.Contains(said, "secret") {
				t.Errorf("allowed %v, warnings %q; want %q", response.Allowed, said, tc.want)
			}
		})
	}
}

func TestUnreadable(t *testing.T) {
	req := request(t, admissionv1.Create, tree{"apiVersion": "mooring.dev/v2", "kind": "Database"}, nil)
	if response := newHandler(t, refuse).Handle(t.Context(), req); !response.Allowed || len(response.Warnings) != 1 {
		t.Errorf("%+v", response)
	}
}
