package docs

import (
	"fmt"
	"path/filepath"
	"strings"
)

// base are the samples that are there whatever page is read, and orders and photos the objects.
var base = []string{"00-namespace.yaml", "tenancy/mooring.yaml", "tenancy/roles.yaml", "classes/aws.yaml"}

// installed is what a cluster has besides, in which Mooring runs as Pods.
const installed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: mooring, namespace: mooring-system}
spec:
  selector: {matchLabels: {app.kubernetes.io/name: mooring}}
  template:
    metadata: {labels: {app.kubernetes.io/name: mooring}}
    spec: {containers: [{name: mooring, image: mooring}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: mooring-leader, namespace: mooring-system}
spec: {holderIdentity: mooring-0, renewTime: "2026-11-30T08:00:00.000000Z"}
`

// notRun are the commands that do not run in the test, as patterns, each with the reason.
var notRun = []struct{ command, reason string }{
	{`^make `, "these are stages of CI, and of the quickstart"},
	{`^git `, "publishes a release, or copies the repository that the test is in"},
	{`^helm (test|upgrade|rollback|uninstall) `, "needs a release: test/chart installs, checks, upgrades and removes the chart, with Helm 3 and Helm 4"},
	{`^curl `, "downloads from AWS"},
	{`(?m)(^\s*|[($|;] *)aws [a-z0-9]+ [a-z0-9-]+ `, "needs an account of AWS"},
	{`\bgcloud `, "needs a project of Google Cloud"},
	{`^expression=`, "is for the command of gcloud below it"},
	{`^kubectl (exec|run|top) |^kubectl logs deployment/`, "needs a node with Pods"},
	{`^kubectl get prometheus `, "needs the Prometheus operator"},
	{`^kubectl (delete -f|apply --server-side|get -o wide|scale deployment --replicas=0)$`, "is no whole command: a sentence is about it"},
}

// placeholders are what a reader puts in the place of something, and what the test runs in the place of a command.
var placeholders = []struct{ text, with string }{
	{"clusterproviderconfigs.mooring.dev NAME", "clusterproviderconfigs.mooring.dev aws"},
	{"buckets.mooring.dev NAME", "buckets.mooring.dev photos"},
	{"databases.mooring.dev NAME", "databases.mooring.dev orders"},
	{"KIND.mooring.dev NAME", "databases.mooring.dev orders"},
	{"-n NAMESPACE", "-n shop"},
	{"kubectl create namespace ", "kubectl create namespace --dry-run=client "}, // it is there: Mooring runs in it
	{"kubectl delete crd ", "kubectl delete crd --dry-run=server "},             // or Mooring would have to be installed anew
	{"kubectl rollout restart ", "sleep 1; kubectl rollout restart "},           // a second one within a second is refused
	{"helm install mooring oci://ghcr.io/mooring-dev/charts/mooring", "helm install mooring \"$CHART\" --dry-run=client"},
}

// prepared is what has to be there for a page, from its beginning or from a command on that has a text.
var prepared = []struct {
	page, before string
	samples      []string // files of config/samples
	ready        []string // objects that are awaited after that
	do           func(*reader)
}{
	{page: "docs/guides/developer.md", before: `"role":"Primary"`, ready: []string{"Database orders-reads"}, do: func(r *reader) {
		r.reset() // what was before asked for another version
		r.apply("orders.yaml")
		r.awaitReady("Database", "orders")
		r.apply("replicas/reads.yaml")
	}},
	{page: "docs/guides/network.md", before: "attachment=", samples: []string{"network/gcp-psc.yaml"}, ready: []string{"Database invoices"}, do: func(r *reader) {
		r.place("{apiVersion: mooring.dev/v1alpha1, kind: Database, metadata: {name: invoices, namespace: shop}, spec: {className: postgres-psc, connection: {secretName: invoices-db}}}")
	}},
	{page: "docs/guides/passwords.md", samples: []string{"aws-postgres.yaml"}, ready: []string{"Database payments"}},
	{page: "docs/guides/platform.md", before: "create configmap rds-ca", do: func(r *reader) {
		r.remove("{apiVersion: v1, kind: ConfigMap, metadata: {name: rds-ca, namespace: mooring-system}}")
	}},
	{page: "docs/install.md", before: "create clusterrolebinding mooring-catalogue", do: func(r *reader) {
		r.remove("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: mooring-catalogue}}")
	}},
	{page: "docs/migrate/README.md", do: leaveBehind},
	{page: "docs/migrate/ack.md", do: func(r *reader) {
		r.define("rds.services.k8s.aws", "v1alpha1", "DBInstance", "Namespaced", "shop-ledger")
		r.define("s3.services.k8s.aws", "v1alpha1", "Bucket", "Namespaced", "receipts")
	}},
	{page: "docs/migrate/config-connector.md", do: func(r *reader) {
		r.define("sql.cnrm.cloud.google.com", "v1beta1", "SQLInstance", "Namespaced", "shop-catalog")
		r.define("sql.cnrm.cloud.google.com", "v1beta1", "SQLDatabase", "Namespaced", "catalog")
		r.define("sql.cnrm.cloud.google.com", "v1beta1", "SQLUser", "Namespaced", "postgres")
		r.define("storage.cnrm.cloud.google.com", "v1beta1", "StorageBucket", "Namespaced", "shop-production-scans")
	}},
	{page: "docs/migrate/crossplane.md", do: func(r *reader) {
		r.define("rds.aws.upbound.io", "v1beta1", "Instance", "Cluster", "shop-stockroom")
		r.define("s3.aws.upbound.io", "v1beta1", "Bucket", "Cluster", "shop-labels")
	}},
	{page: "docs/troubleshooting.md", before: "annotate serviceaccount cloud", do: func(r *reader) {
		account := "{apiVersion: v1, kind: ServiceAccount, metadata: {name: cloud, namespace: shop}}"
		r.remove(account)
		r.place(account)
	}},
	{page: "docs/troubleshooting.md", before: "--as=jane", do: func(r *reader) {
		r.place("{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: jane, namespace: shop}, " +
			"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: mooring-admin}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]}")
	}},
}

// answers are what commands have to say, because their page says so.
var answers = []struct{ page, command, says string }{
	{"docs/guides/developer.md", "kubectl delete databases.mooring.dev orders -n shop --dry-run=server", `Warning: Database shop/orders: RDS instance \S+ is deleted; a final snapshot`},
	{"docs/guides/developer.md", `"retentionDays":0`, `Warning: Database shop/orders: LosesBackups: backup.retentionDays 7 -> 0`},
	{"docs/guides/platform.md", "kubectl apply --dry-run=server -f postgres-standard.yaml", `Warning: DatabaseClass postgres-standard: of 1: aws.instanceClass becomes db.t4g.small`},
	{"docs/install.md", "kubectl create --dry-run=server -f -", `Warning: Bucket \S+: spec.className: there is no BucketClass "no-such-class"`},
	{"docs/install.md", "databasesnapshots.mooring.dev -A   # there is none", `No resources found`},
	{"docs/migrate/README.md", "| jq", `"sizeGiB": 100`},
	{"docs/troubleshooting.md", "--as=jane", `yes`},
	{"docs/troubleshooting.md", "get lease mooring-leader", `HOLDER +RENEWED\s+mooring-0 +20`},
}

// silent are commands that show something, and show nothing here; those without a page on all.
var silent = []struct{ page, command, reason string }{
	{"", "| grep -", "it looks for objects in trouble, and there are none"},
	{"", "kubectl get pods", "Mooring runs in the test's process, and not in a Pod"},
	{"", "kubectl describe pods", "Mooring runs in the test's process, and not in a Pod"},
	{"", "kubectl get events -n mooring-system", "nothing happened that the platform team has to know"},
	{"", "kubectl get dbsnap", "nobody took a snapshot"},
	{"", "kubectl get mooring", "it is in a sentence, and there is nothing in the namespace default"},
	{"docs/guides/developer.md", "mooring.dev/before-version", "all servers have automatic backups"},
	{"docs/guides/platform.md", `.cause == "Class"`, "no class changed"},
	{"docs/install.md", "# there is none", "it says so"},
	{"docs/runbooks/MooringDriftKeepsComingBack.md", "reason=DriftCorrected", "nothing drifted"},
	{"docs/runbooks/MooringProviderConfigNotReady.md", "kubectl get providerconfigs -A", "all accounts are of ClusterProviderConfigs"},
	{"docs/guides/developer.md", "{.status.pendingChanges}", "the local cloud has made the change already"},
	{"docs/migrate/README.md", "{.status.pendingChanges}", "the spec is what the cloud has, as the page says it should be"},
	{"docs/runbooks/MooringApprovalWaits.md", "{.status.pendingChanges}", "nothing waits"},
	{"docs/runbooks/MooringDeletionStuck.md", ".metadata.deletionTimestamp", "nothing is being deleted"},
	{"docs/troubleshooting.md", ".status.pendingChanges", "nothing waits"},
}

// everywhere returns the files that commands find in their folder, by name.
func everywhere(r *reader) map[string]string {
	sample := func(name string) string {
		return read(r.T, filepath.Join(root(r.T), "config", "samples", filepath.FromSlash(name)))
	}
	authorities, err := r.Cloud.RDSAuthorities()
	r.Must(err)
	return map[string]string{
		"orders.yaml": sample("orders.yaml"), "postgres-standard.yaml": strings.Replace(sample("classes/aws.yaml"), "db.t4g.micro", "db.t4g.small", 1), "eu-central-1-bundle.pem": authorities,
	}
}

// leaveBehind has in the cloud what another tool made there: what a Database and a Bucket leave that are deleted with Retain.
func leaveBehind(r *reader) {
	r.place(`{apiVersion: v1, kind: Secret, metadata: {name: ledger-admin, namespace: shop}, stringData: {password: ledger-of-the-shop}}`)
	r.apply("migrate/ack.yaml")
	for kindName, name := range map[string]string{"Database": "ledger", "Bucket": "receipts"} {
		r.awaitReady(kindName, name)
		r.remove(fmt.Sprintf("{apiVersion: mooring.dev/v1alpha1, kind: %s, metadata: {name: %s, namespace: shop}}", kindName, name))
	}
	r.remove("{apiVersion: v1, kind: Secret, metadata: {name: ledger-db, namespace: shop}}")
}

// define makes the kind of another tool, with fields of any name, and an object of it.
func (r *reader) define(group, version, kindName, scope, name string) {
	r.Helper()
	plural := strings.ToLower(kindName) + "s"
	r.place(fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s}
spec:
  group: %[2]s
  scope: %[5]s
  names: {kind: %[4]s, plural: %[1]s, singular: %[3]s, categories: [managed]}
  versions:
    - {name: %[6]s, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`, plural, group, strings.ToLower(kindName), kindName, scope, version))
	namespace := ""
	if scope == "Namespaced" {
		namespace = ", namespace: shop"
	}
	r.place(fmt.Sprintf("{apiVersion: %s/%s, kind: %s, metadata: {name: %s%s}}", group, version, kindName, name, namespace))
}
