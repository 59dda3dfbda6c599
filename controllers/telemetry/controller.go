package telemetry

var (
	buildInfo = &Metric{
		Name: "mooring_build_info", Type: Gauge, Labels: []string{"version", "go_version"}, Replicas: true,
		Help:  "1, with the version of Mooring and of Go that it was built with.",
		Asks:  "Which versions run?",
		Query: "count by (version) (mooring_build_info)",
	}
	leader = &Metric{
		Name: "mooring_leader", Type: Gauge, Replicas: true,
		Help:  "1 on the replica that works, 0 on those that wait for their turn. Without leader election it is 1.",
		Asks:  "Is there a leader?",
		Query: "sum(mooring_leader)",
	}
	syncPeriod = &Metric{
		Name: "mooring_sync_period_seconds", Type: Gauge, Replicas: true,
		Help:  "How often a converged object is observed: the flag --sync-period.",
		Asks:  "How long ago, in sync periods, was the object seen that was not seen for longest?",
		Query: "max by (kind, provider) (mooring_observation_age_seconds / ignoring (kind, provider) group_left mooring_sync_period_seconds)",
	}
	unrecorded = &Metric{
		Name: "mooring_unrecorded_turns_total", Type: Counter, Labels: []string{"kind"},
		Help:  "Turns whose result the API server did not take, other than because somebody else was faster. They are taken again.",
		Asks:  "How often can't Mooring say in an object's status what it found?",
		Query: "sum by (kind) (rate(mooring_unrecorded_turns_total[5m]))",
	}
	unrecordedResources = &Metric{
		Name: "mooring_unrecorded_resources", Type: Gauge, Labels: []string{"kind"},
		Help:  "Objects whose last turn came to something that the API server did not take. Their status may be old.",
		Asks:  "Of how many objects is the status old because it can't be written?",
		Query: "sum by (kind) (mooring_unrecorded_resources)",
	}
	certificateExpiry = &Metric{
		Name: "mooring_webhook_certificate_expiry_timestamp_seconds", Type: Gauge, Replicas: true,
		Help:  "Until when the certificate is valid that API servers are answered with, in Unix time. Mooring renews it when a third of its 90 days is left. There is no series without a webhook, or before the first certificate.",
		Asks:  "For how many days is the certificate still valid?",
		Query: "min((mooring_webhook_certificate_expiry_timestamp_seconds - time()) / 86400)",
	}
)

// foreign are metrics of controller-runtime and its libraries. With several managers in a process they are mixed.
var foreign = []*Metric{
	{
		Name: "workqueue_depth", Type: Gauge, Labels: []string{"name", "controller", "priority"}, Replicas: true,
		Help:  "Objects in the queue of a controller, by priority: 1 is the next step of what was begun, 0 what somebody wants, -100 a re-check. What comes back later is counted once its time has come.",
		Asks:  "How much waits, apart from re-checks?",
		Query: `sum by (name) (workqueue_depth{name=~"buckets|databases",priority!="-100"})`,
	},
	{
		Name: "workqueue_queue_duration_seconds", Type: Histogram, Labels: []string{"name", "controller"}, Replicas: true,
		Help:  "How long objects waited in the queue of a controller.",
		Asks:  "How long do objects wait for a worker?",
		Query: `histogram_quantile(0.99, sum by (name, le) (rate(workqueue_queue_duration_seconds_bucket{name=~"buckets|databases"}[5m])))`,
	},
	{
		Name: "controller_runtime_active_workers", Type: Gauge, Labels: []string{"controller"}, Replicas: true,
		Help:  "Workers of a controller that are at work.",
		Asks:  "How busy are the workers?",
		Query: "max by (controller) (controller_runtime_active_workers / controller_runtime_max_concurrent_reconciles)",
	},
	{
		Name: "controller_runtime_max_concurrent_reconciles", Type: Gauge, Labels: []string{"controller"}, Replicas: true,
		Help:  "Workers of a controller: for buckets and databases the flag --workers.",
		Asks:  "How many workers are there?",
		Query: "max by (controller) (controller_runtime_max_concurrent_reconciles)",
	},
	{
		Name: "controller_runtime_reconcile_errors_total", Type: Counter, Labels: []string{"controller"}, Replicas: true,
		Help:  "Turns that ended in an error of the API server. What a cloud refuses is no error here: it is in conditions.",
		Asks:  "Does the API server refuse what Mooring asks?",
		Query: "sum by (controller) (rate(controller_runtime_reconcile_errors_total[5m]))",
	},
	{
		Name: "controller_runtime_reconcile_total", Type: Counter, Labels: []string{"controller", "result"}, Replicas: true,
		Help:  "Turns by controller and result.",
		Asks:  "How many turns are taken?",
		Query: "sum by (controller) (rate(controller_runtime_reconcile_total[5m]))",
	},
	{
		Name: "controller_runtime_reconcile_time_seconds", Type: Histogram, Labels: []string{"controller"}, Replicas: true,
		Help:  "How long turns took.",
		Asks:  "How long does a turn take?",
		Query: "histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket[5m])))",
	},
	{
		Name: "rest_client_requests_total", Type: Counter, Labels: []string{"code", "method", "host"}, Replicas: true,
		Help:  "Requests to the API server, by status code and method.",
		Asks:  "What does the API server answer?",
		Query: "sum by (code, method) (rate(rest_client_requests_total[5m]))",
	},
	{
		Name: "leader_election_master_status", Type: Gauge, Labels: []string{"name"}, Replicas: true,
		Help:  "1 on the replica that holds the Lease mooring-leader, else 0. There is no series without leader election.",
		Asks:  "Who holds the Lease?",
		Query: `leader_election_master_status{name="mooring-leader"} == 1`,
	},
}
