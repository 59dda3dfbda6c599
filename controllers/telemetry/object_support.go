package telemetry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var (
	objectSupportEnd = &Metric{
		Name: "mooring_object_support_end_timestamp_seconds", Type: Gauge, PerObject: true,
		Labels: []string{"kind", "provider", "namespace", "name", "class", "what"},
		Help: "When what an object runs on leaves support, in Unix time, as status.support says. The label what is EngineStandardSupport or EngineExtendedSupport of the engine's version, or Certificate of the server. There is no series for a time that the cloud does not report, " +
			"nor for an object that is being deleted. The flag --metrics-object-limit bounds the number of objects. Those with the earliest times come first.",
		Question: "What leaves support within 90 days?",
		Query:    "sort((mooring_object_support_end_timestamp_seconds - time()) / 86400 < 90)",
	}
	supportEnd = &Metric{
		Name: "mooring_support_end_timestamp_seconds", Type: Gauge, Labels: []string{"kind", "provider", "what"},
		Help:     "The earliest time at which what an object runs on leaves support, in Unix time, of all objects, as mooring_object_support_end_timestamp_seconds shows it of each.",
		Question: "In how many days does the first object leave support?",
		Query:    "min by (kind, provider, what) ((mooring_support_end_timestamp_seconds - time()) / 86400)",
	}
)

// Values of the label what.
const (
	endOfStandardSupport = "EngineStandardSupport"
	endOfExtendedSupport = "EngineExtendedSupport"
	endOfCertificate     = "Certificate"
)

// A supportedObject is an object and when what it runs on leaves support, by the values of the label what.
type supportedObject struct {
	kind, provider, class string
	name                  types.NamespacedName
	ends                  map[string]time.Time
}

// first returns the earliest end.
func (o supportedObject) first() (first time.Time) {
	for _, end := range o.ends {
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first
}

// supported returns the objects of a kind whose status says when what they run on leaves support.
func (k Kind) supported(ctx context.Context, cache client.Reader) (objects []supportedObject, err error) {
	if k.Support == nil {
		return nil, nil
	}
	list := k.NewList()
	if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(v1alpha1.ResourceObject)
		if ends := endsOf(k.Support.Of(object)); len(ends) > 0 && object.GetDeletionTimestamp() == nil {
			status := object.GetResourceStatus()
			objects = append(objects, supportedObject{k.Name, status.Provider, status.ClassName, client.ObjectKeyFromObject(object), ends})
		}
		return nil
	})
	return objects, err
}

// endsOf returns the times of a status, which may be nil, by the values of the label what.
func endsOf(s *v1alpha1.DatabaseSupport) map[string]time.Time {
	if s == nil {
		return nil
	}
	ends := map[string]time.Time{}
	for what, end := range map[string]*metav1.Time{
		endOfStandardSupport: s.EngineEndOfStandardSupport, endOfExtendedSupport: s.EngineEndOfExtendedSupport, endOfCertificate: s.CertificateExpires,
	} {
		if !end.IsZero() {
			ends[what] = end.Time
		}
	}
	return ends
}

// showSupport shows the earliest ends of all objects, and those of as many objects as the limit allows.
func showSupport(objects []supportedObject, limit int, to chan<- prometheus.Metric) {
	type labels struct{ kind, provider, what string }
	earliest := map[labels]time.Time{}
	for _, o := range objects {
		for what, end := range o.ends {
			l := labels{o.kind, o.provider, what}
			if before, known := earliest[l]; !known || end.Before(before) {
				earliest[l] = end
			}
		}
	}
	for l, end := range earliest {
		show(to, supportEnd, float64(end.Unix()), l.kind, l.provider, l.what)
	}
	slices.SortFunc(objects, func(a, b supportedObject) int {
		return cmp.Or(a.first().Compare(b.first()), cmp.Compare(a.kind, b.kind), cmp.Compare(a.name.String(), b.name.String()))
	})
	for _, o := range objects[:min(limit, len(objects))] {
		for what, end := range o.ends {
			show(to, objectSupportEnd, float64(end.Unix()), o.kind, o.provider, o.name.Namespace, o.name.Name, o.class, what)
		}
	}
}
