package telemetry

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/controllers/kind"
)

var (
	buildInfo = &Metric{
		Name: "mooring_build_info", Type: Gauge, Labels: []string{"version", "go_version"}, Replicas: true,
		Help:     "1, with the version of Mooring and the version of Go that built it.",
		Question: "Which versions run?",
		Query:    "count by (version) (mooring_build_info)",
	}
	leader = &Metric{
		Name: "mooring_leader", Type: Gauge, Replicas: true,
		Help:     "1 on the leader, 0 on replicas that wait to be elected. Without leader election it is 1.",
		Question: "Is there a leader?",
		Query:    "sum(mooring_leader)",
	}
	syncPeriod = &Metric{
		Name: "mooring_sync_period_seconds", Type: Gauge, Replicas: true,
		Help:     "How often a converged object is observed. The flag --sync-period sets it.",
		Question: "How many sync periods old is the oldest last observation?",
		Query:    "max by (kind, provider) (mooring_observation_age_seconds / ignoring (kind, provider) group_left mooring_sync_period_seconds)",
	}
	statusWriteFailures = &Metric{
		Name: "mooring_status_write_failures_total", Type: Counter, Labels: []string{"kind"},
		Help:     "Reconciliations whose result could not be written to the object's status. Conflicts with other writers do not count. Mooring reconciles the object again.",
		Question: "How often does Mooring fail to write an object's status?",
		Query:    "sum by (kind) (rate(mooring_status_write_failures_total[5m]))",
	}
	staleStatusResources = &Metric{
		Name: "mooring_stale_status_resources", Type: Gauge, Labels: []string{"kind"},
		Help:     "Objects whose status could not be written after their last reconciliation. Their status may be out of date.",
		Question: "How many objects have a status that may be out of date because it can't be written?",
		Query:    "sum by (kind) (mooring_stale_status_resources)",
	}
	certificateExpiry = &Metric{
		Name: "mooring_webhook_certificate_expiry_timestamp_seconds", Type: Gauge, Replicas: true,
		Help:     "When the certificate of the webhook expires, in Unix time. Mooring renews the certificate when a third of its 90 days is left. There is no series without a webhook, or before the first certificate.",
		Question: "For how many days is the certificate still valid?",
		Query:    "min((mooring_webhook_certificate_expiry_timestamp_seconds - time()) / 86400)",
	}
)

// queues matches the names of the queues of all kinds, in a query. They are called as the resources are.
var queues = func() string {
	var names []string
	for _, k := range kind.All() {
		names = append(names, k.Plural)
	}
	slices.Sort(names)
	return strings.Join(names, "|")
}()

// foreign are metrics of controller-runtime and its libraries. Several managers in one process share them.
var foreign = []*Metric{
	{
		Name: "workqueue_depth", Type: Gauge, Labels: []string{"name", "controller", "priority"}, Replicas: true,
		Help:     "Objects in the queue of a controller, by priority: 1 for work in progress, 0 for changes that users made, -100 for resyncs. An object that is requeued for later counts once its time has come.",
		Question: "How many objects wait, apart from resyncs?",
		Query:    `sum by (name) (workqueue_depth{name=~"` + queues + `",priority!="-100"})`,
	},
	{
		Name: "workqueue_queue_duration_seconds", Type: Histogram, Labels: []string{"name", "controller"}, Replicas: true,
		Help:     "How long objects waited in the queue of a controller.",
		Question: "How long do objects wait for a worker?",
		Query:    `histogram_quantile(0.99, sum by (name, le) (rate(workqueue_queue_duration_seconds_bucket{name=~"` + queues + `"}[5m])))`,
	},
	{
		Name: "controller_runtime_active_workers", Type: Gauge, Labels: []string{"controller"}, Replicas: true,
		Help:     "How many workers of a controller are busy.",
		Question: "What share of the workers is busy?",
		Query:    "max by (controller) (controller_runtime_active_workers / controller_runtime_max_concurrent_reconciles)",
	},
	{
		Name: "controller_runtime_max_concurrent_reconciles", Type: Gauge, Labels: []string{"controller"}, Replicas: true,
		Help:     "How many workers a controller has. For buckets and databases the flag --workers sets it.",
		Question: "How many workers are there?",
		Query:    "max by (controller) (controller_runtime_max_concurrent_reconciles)",
	},
	{
		Name: "controller_runtime_reconcile_errors_total", Type: Counter, Labels: []string{"controller"}, Replicas: true,
		Help:     "Reconciliations that ended with an error of the API server. An error of a cloud does not count: it is in the object's conditions.",
		Question: "Does the API server refuse Mooring's requests?",
		Query:    "sum by (controller) (rate(controller_runtime_reconcile_errors_total[5m]))",
	},
	{
		Name: "controller_runtime_reconcile_total", Type: Counter, Labels: []string{"controller", "result"}, Replicas: true,
		Help:     "Reconciliations, by controller and result.",
		Question: "How many reconciliations run?",
		Query:    "sum by (controller) (rate(controller_runtime_reconcile_total[5m]))",
	},
	{
		Name: "controller_runtime_reconcile_time_seconds", Type: Histogram, Labels: []string{"controller"}, Replicas: true,
		Help:     "How long reconciliations took.",
		Question: "How long does a reconciliation take?",
		Query:    "histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket[5m])))",
	},
	{
		Name: "rest_client_requests_total", Type: Counter, Labels: []string{"code", "method", "host"}, Replicas: true,
		Help:     "Requests to the API server, by status code and method.",
		Question: "What does the API server answer?",
		Query:    "sum by (code, method) (rate(rest_client_requests_total[5m]))",
	},
	{
		Name: "leader_election_master_status", Type: Gauge, Labels: []string{"name"}, Replicas: true,
		Help:     "1 on the replica that holds the Lease mooring-leader, 0 on the others. There is no series without leader election.",
		Question: "Which replica holds the Lease?",
		Query:    `leader_election_master_status{name="mooring-leader"} == 1`,
	},
}
