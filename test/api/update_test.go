package api

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// stored makes an object that goes with the test.
func stored(t *testing.T, kind, text string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, kind, text)
	o.SetName("")
	o.SetGenerateName("test-")
	if err := api.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.WithoutCancel(t.Context()), o) })
	return o
}

// patch merges text into the object, or into its status.
func patch(t *testing.T, o *unstructured.Unstructured, text string, status bool) error {
	t.Helper()
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if status {
		return api.Status().Patch(t.Context(), o, client.RawPatch(types.MergePatchType, body))
	}
	return api.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, body))
}

// What can't change once the cloud object exists. Every case is a series of edits, of which only the last may be
// refused: a field that is taken out and put in again is a change too.
func TestUpdateOnceBound(t *testing.T) {
	const (
		bucket   = `spec: {providerConfigRef: {name: team}, location: eu-central-1, externalName: my-bucket}`
		database = `spec: {providerConfigRef: {name: team}, engine: postgres, databaseName: orders, location: eu-central-1, externalName: my-db, credentials: {username: boss}}`
		plain    = `spec: {providerConfigRef: {name: team}, engine: postgres}`

		restoring = `spec: {providerConfigRef: {name: team}, engine: postgres, restoreFrom: {snapshotRef: {name: nightly}}}`

		bound   = `status: {externalName: my-bucket, location: eu-central-1}`
		boundDB = `status: {externalName: my-db, location: eu-central-1}`
		wrong   = `status: {conditions: [{type: Stalled, status: "True", reason: Immutable, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
		denied  = `status: {conditions: [{type: Stalled, status: "True", reason: Denied, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
	)
	const (
		taken     = `status: {externalName: my-bucket, location: eu-central-1, conditions: [{type: Stalled, status: "True", reason: Conflict, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
		worked    = `status: {firstReadyTime: "2026-01-01T00:00:00Z"}`
		fixed     = `status: {fixed: {engine: postgres, databaseName: app, credentials.username: boss}}`
		noneMade  = `status: {fixed: {engine: postgres, databaseName: "", credentials.username: postgres}}`
		unmade    = `status: {fixed: {engine: postgres}}`
		disk      = `spec: {providerConfigRef: {name: team}, engine: postgres, gcp: {dataDiskType: PD_HDD}}`
		hardDisk  = `status: {fixed: {gcp.dataDiskType: PD_HDD}}`
		solidDisk = `status: {fixed: {gcp.dataDiskType: PD_SSD}}`
		placed    = `spec: {providerConfigRef: {name: team}, engine: postgres, aws: {availabilityZone: eu-west-1a}}`
		inZoneA   = `status: {fixed: {aws.availabilityZone: eu-west-1a}}`
		inZoneB   = `status: {fixed: {aws.availabilityZone: eu-west-1b}}`
		keyed     = `status: {fixed: {encryption.key: 0b3c1a5e-1111-2222-3333-444455556666}}`
		refused   = `status: {conditions: [{type: Stalled, status: "True", reason: Invalid, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
		known     = `status: {externalID: db-ABC}`
		notOurs   = `status: {conditions: [{type: Stalled, status: "True", reason: NotOwned, message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
	)
	for _, tt := range []struct {
		name, kind, object string
		status             []string
		edits              []string
		want               string
	}{
		{"the snapshot, not bound", "Database", restoring, nil, []string{`spec: {restoreFrom: {snapshotRef: {name: other}}}`}, ""},
		{"the snapshot, refused", "Database", restoring, []string{boundDB, refused}, []string{`spec: {restoreFrom: {snapshotRef: {name: other}}}`}, ""},
		{"the snapshot", "Database", restoring, []string{boundDB}, []string{`spec: {restoreFrom: {snapshotRef: {name: other}}}`}, "spec.restoreFrom is for the creation of the server"},
		{"the snapshot, refused once the server was there", "Database", restoring, []string{boundDB, known, refused}, []string{`spec: {restoreFrom: {snapshotRef: {name: other}}}`}, "spec.restoreFrom is for the creation of the server"},
		{"the time", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres, restoreFrom: {pointInTime: {databaseRef: {name: orders}, time: "2026-11-27T14:30:00Z"}}}`, []string{boundDB}, []string{`spec: {restoreFrom: {pointInTime: {time: "2026-11-27T14:31:00Z"}}}`}, "spec.restoreFrom is for the creation of the server"},
		{"the time, taken out", "Database", `spec: {providerConfigRef: {name: team}, engine: postgres, restoreFrom: {pointInTime: {databaseRef: {name: orders}, time: "2026-11-27T14:30:00Z"}}}`, []string{boundDB}, []string{`spec: {restoreFrom: {pointInTime: {time: null}}}`}, "spec.restoreFrom is for the creation of the server"},
		{"the snapshot taken out", "Database", restoring, []string{boundDB}, []string{`spec: {restoreFrom: null}`}, "spec.restoreFrom is for the creation of the server"},
		{"a snapshot of what exists", "Database", plain, []string{boundDB}, []string{`spec: {restoreFrom: {snapshotRef: {name: nightly}}}`}, "create another Database with restoreFrom"},
		{"the rest of what was restored", "Database", restoring, []string{boundDB}, []string{`spec: {version: "16"}`}, ""},
		{"location, not bound", "Bucket", bucket, nil, []string{`spec: {location: us-east-1}`}, ""},
		{"location", "Bucket", bucket, []string{bound}, []string{`spec: {location: us-east-1}`}, "create another Bucket with the new location"},
		{"location taken out", "Bucket", bucket, []string{bound}, []string{`spec: {location: null}`}, ""},
		{"location taken out and put in", "Bucket", bucket, []string{bound}, []string{`spec: {location: null}`, `spec: {location: us-east-1}`}, "create another Bucket with the new location"},
		{"location taken out and put back", "Bucket", bucket, []string{bound}, []string{`spec: {location: null}`, `spec: {location: eu-central-1}`}, ""},
		{"location spelt out", "Bucket", `spec: {providerConfigRef: {name: team}}`, []string{bound}, []string{`spec: {location: eu-central-1}`}, ""},
		{"location spelt out wrongly", "Bucket", `spec: {providerConfigRef: {name: team}}`, []string{bound}, []string{`spec: {location: eu-west-1}`}, "create another Bucket"},
		{"external name, not bound", "Bucket", bucket, nil, []string{`spec: {externalName: other}`}, ""},
		{"external name", "Bucket", bucket, []string{bound}, []string{`spec: {externalName: other}`}, "spec.externalName can't change"},
		{"external name taken out and put in", "Bucket", bucket, []string{bound}, []string{`spec: {externalName: null}`, `spec: {externalName: other}`}, "spec.externalName can't change"},
		{"account taken away, not bound", "Bucket", bucket, nil, []string{`spec: {providerConfigRef: null, className: standard}`}, ""},
		{"account taken away", "Bucket", bucket, []string{bound}, []string{`spec: {providerConfigRef: null}`}, "spec.providerConfigRef can't be removed"},
		{"a class in place of the account", "Bucket", bucket, []string{bound}, []string{`spec: {providerConfigRef: null, className: standard}`}, ""},
		{"account of a database taken away", "Database", database, []string{boundDB}, []string{`spec: {providerConfigRef: null}`}, "spec.providerConfigRef can't be removed"},
		{"a class in place of a database's account", "Database", database, []string{boundDB}, []string{`spec: {providerConfigRef: null, className: standard}`}, ""},
		{"everything else", "Bucket", bucket, []string{bound}, []string{`spec: {versioning: Enabled, tags: {a: b}, forceDestroy: true, providerConfigRef: {name: other}}`}, ""},

		{"engine, not bound", "Database", database, nil, []string{`spec: {engine: mysql}`}, ""},
		{"engine", "Database", database, []string{boundDB}, []string{`spec: {engine: mysql}`}, "spec.engine can't change"},
		{"engine, to one that is like it", "Database", database, []string{boundDB}, []string{`spec: {engine: mariadb}`}, "spec.engine can't change"},
		{"engine taken out", "Database", database, []string{boundDB}, []string{`spec: {engine: null, providerConfigRef: null, className: standard}`}, "spec.engine can't change"},
		{"engine put in", "Database", `spec: {className: standard}`, []string{boundDB}, []string{`spec: {engine: mysql}`}, ""},
		{"initial database", "Database", database, []string{boundDB}, []string{`spec: {databaseName: other}`}, "spec.databaseName can't change"},
		{"initial database taken out", "Database", database, []string{boundDB}, []string{`spec: {databaseName: null}`}, "spec.databaseName can't change"},
		{"username", "Database", database, []string{boundDB}, []string{`spec: {credentials: {username: other}}`}, "spec.credentials.username can't change"},
		{"username taken out", "Database", database, []string{boundDB}, []string{`spec: {credentials: {username: null}}`}, "spec.credentials.username can't change"},
		{"credentials taken out", "Database", database, []string{boundDB}, []string{`spec: {credentials: null}`}, "spec.credentials.username can't change"},
		{"username put in", "Database", plain, []string{boundDB}, []string{`spec: {credentials: {username: boss}}`}, "spec.credentials.username can't change"},
		{"a password is referred to", "Database", plain, []string{boundDB}, []string{`spec: {credentials: {passwordSecretRef: {name: pw}}}`}, ""},
		{"location of a database", "Database", database, []string{boundDB}, []string{`spec: {location: us-east-1}`}, "create another Database"},
		{"external name of a database", "Database", database, []string{boundDB}, []string{`spec: {externalName: other}`}, "spec.externalName can't change"},
		{"version and size", "Database", database, []string{boundDB}, []string{`spec: {version: "17", storage: {sizeGiB: 100}, aws: {instanceClass: db.t4g.large}}`}, ""},

		// Who is told to choose another name, as it is taken, may do so.
		{"another name after a conflict", "Bucket", bucket, []string{taken}, []string{`spec: {externalName: other}`}, ""},
		{"another name after a conflict of what worked", "Bucket", bucket, []string{taken, worked}, []string{`spec: {externalName: other}`}, "spec.externalName can't change"},
		{"no more adoption of an existing name", "Bucket", `spec: {className: standard, adoption: IfExists, externalName: my_bucket}`, []string{`status: {externalName: my_bucket}`}, []string{`spec: {adoption: null}`}, ""},

		{"another name where the name is another's and may not be looked at", "Bucket", bucket, []string{bound, denied}, []string{`spec: {externalName: other}`}, ""},
		{"another name where the name is another's", "Bucket", bucket, []string{bound, notOurs}, []string{`spec: {externalName: other}`}, ""},
		{"another name of what worked and is another's now", "Bucket", bucket, []string{bound, notOurs, worked}, []string{`spec: {externalName: other}`}, "spec.externalName can't change"},

		// What was refused before anything was created can be corrected.
		{"a refused database", "Database", database, []string{boundDB, refused}, []string{`spec: {databaseName: other}`}, ""},
		{"a refused database is taken out", "Database", database, []string{boundDB, refused}, []string{`spec: {databaseName: null}`}, ""},
		{"a refused username", "Database", database, []string{boundDB, refused}, []string{`spec: {credentials: {username: other}}`}, ""},
		{"a refused username is taken out", "Database", database, []string{boundDB, refused}, []string{`spec: {credentials: null}`}, ""},
		{"a refused engine", "Database", database, []string{boundDB, refused}, []string{`spec: {engine: mysql}`}, ""},
		{"a database of a server that exists", "Database", database, []string{boundDB, refused, known}, []string{`spec: {databaseName: other}`}, "spec.databaseName can't change"},
		{"a database of a server that worked", "Database", database, []string{boundDB, refused, worked}, []string{`spec: {databaseName: other}`}, "spec.databaseName can't change"},
		{"a username of a server that worked", "Database", database, []string{boundDB, refused, worked}, []string{`spec: {credentials: {username: other}}`}, "spec.credentials.username can't change"},
		{"a database that a server could not make", "Database", database, []string{boundDB, worked, unmade, refused}, []string{`spec: {databaseName: other}`}, ""},
		{"a username that a server could not make", "Database", database, []string{boundDB, worked, unmade, refused}, []string{`spec: {credentials: {username: other}}`}, ""},
		{"the engine of a server that could not make its database", "Database", database, []string{boundDB, worked, unmade, refused}, []string{`spec: {engine: mysql}`}, "spec.engine can't change"},

		// What the cloud has says what is refused, and going back to it is always admitted.
		{"a database that the cloud does not have", "Database", plain, []string{boundDB, fixed}, []string{`spec: {databaseName: foo}`}, "spec.databaseName can't change"},
		{"the database that the cloud has", "Database", plain, []string{boundDB, fixed}, []string{`spec: {databaseName: app}`}, ""},
		{"a database where none can be made", "Database", plain, []string{boundDB, noneMade}, []string{`spec: {databaseName: foo}`}, "spec.databaseName can't change"},
		{"a database that can still be made", "Database", plain, []string{boundDB, unmade}, []string{`spec: {databaseName: foo}`}, ""},
		{"a wrong database is taken out", "Database", database, []string{boundDB, fixed}, []string{`spec: {databaseName: null}`}, ""},
		{"a wrong database is put right", "Database", database, []string{boundDB, fixed}, []string{`spec: {databaseName: app}`}, ""},
		{"a wrong database is made another wrong one", "Database", database, []string{boundDB, fixed}, []string{`spec: {databaseName: third}`}, "spec.databaseName can't change"},
		{"all else while a database is wrong", "Database", database, []string{boundDB, fixed}, []string{`spec: {tags: {a: b}}`}, ""},
		{"the engine that the cloud does not have", "Database", `spec: {className: standard}`, []string{boundDB, fixed}, []string{`spec: {engine: mysql}`}, "spec.engine can't change"},
		{"the engine that the cloud has", "Database", `spec: {className: standard}`, []string{boundDB, fixed}, []string{`spec: {engine: postgres}`}, ""},
		{"the engine taken out, which says what the cloud has", "Database", database, []string{boundDB, fixed}, []string{`spec: {engine: null, providerConfigRef: null, className: standard}`}, "spec.engine can't change"},
		{"the key of a server that is not there", "Database", `spec: {className: standard, encryption: {key: alias/shop}}`, []string{boundDB, fixed}, []string{`spec: {encryption: {key: alias/pay}}`}, ""},
		{"the key", "Database", `spec: {className: standard, encryption: {key: alias/shop}}`, []string{boundDB, keyed}, []string{`spec: {encryption: {key: alias/pay}}`}, "spec.encryption.key can't change"},
		{"the key in place of its alias", "Database", `spec: {className: standard, encryption: {key: alias/shop}}`, []string{boundDB, keyed}, []string{`spec: {encryption: {key: 0b3c1a5e-1111-2222-3333-444455556666}}`}, ""},
		{"all else while the key is an alias", "Database", `spec: {className: standard, encryption: {key: alias/shop}}`, []string{boundDB, keyed}, []string{`spec: {tags: {a: b}}`}, ""},
		{"the zone of a server that is not there", "Database", placed, []string{boundDB, fixed}, []string{`spec: {aws: {availabilityZone: eu-west-1b}}`}, ""},
		{"the zone", "Database", placed, []string{boundDB, inZoneA}, []string{`spec: {aws: {availabilityZone: eu-west-1b}}`}, "spec.aws.availabilityZone can't change"},
		{"the zone taken out", "Database", placed, []string{boundDB, inZoneA}, []string{`spec: {aws: {availabilityZone: null}}`}, ""},
		{"the zone taken out and put in", "Database", placed, []string{boundDB, inZoneA}, []string{`spec: {aws: null}`, `spec: {aws: {availabilityZone: eu-west-1b}}`}, "spec.aws.availabilityZone can't change"},
		{"another edit after RDS moved the server", "Database", placed, []string{boundDB, inZoneB}, []string{`spec: {deletionProtection: true}`}, ""},
		{"the zone where RDS moved the server", "Database", placed, []string{boundDB, inZoneB}, []string{`spec: {aws: {availabilityZone: eu-west-1b}}`}, ""},
		{"the type of disk of a server that is not there", "Database", disk, []string{boundDB, fixed}, []string{`spec: {gcp: {dataDiskType: PD_SSD}}`}, ""},
		{"the type of disk", "Database", disk, []string{boundDB, hardDisk}, []string{`spec: {gcp: {dataDiskType: PD_SSD}}`}, "spec.gcp.dataDiskType can't change"},
		{"the type of disk taken out", "Database", disk, []string{boundDB, hardDisk}, []string{`spec: {gcp: {dataDiskType: null}}`}, ""},
		{"the type of disk taken out and put in", "Database", disk, []string{boundDB, hardDisk}, []string{`spec: {gcp: null}`, `spec: {gcp: {dataDiskType: PD_SSD}}`}, "spec.gcp.dataDiskType can't change"},
		{"the type of disk taken out and put back", "Database", disk, []string{boundDB, hardDisk}, []string{`spec: {gcp: null}`, `spec: {gcp: {dataDiskType: PD_HDD}}`}, ""},
		{"a wrong type of disk is put right", "Database", disk, []string{boundDB, solidDisk}, []string{`spec: {gcp: {dataDiskType: PD_SSD}}`}, ""},
		{"all else while a type of disk is wrong", "Database", disk, []string{boundDB, solidDisk}, []string{`spec: {tags: {a: b}}`}, ""},
		{"the username that the cloud has", "Database", plain, []string{boundDB, fixed}, []string{`spec: {credentials: {username: boss}}`}, ""},
		{"a username that the cloud does not have", "Database", plain, []string{boundDB, fixed}, []string{`spec: {credentials: {username: other}}`}, "spec.credentials.username can't change"},
		{"a wrong username is taken out", "Database", database, []string{boundDB, noneMade}, []string{`spec: {credentials: {username: null}}`}, ""},
		{"the right username is not taken out", "Database", database, []string{boundDB, fixed}, []string{`spec: {credentials: {username: null}}`}, "spec.credentials.username can't change"},

		// What was never so in the cloud may be corrected: else nothing but deletion would help.
		{"an initial database that could not be made is taken back", "Database", plain, []string{boundDB, wrong}, []string{`spec: {databaseName: late}`, `spec: {databaseName: null}`}, ""},
		{"a wrong engine of what was adopted", "Database", database, []string{boundDB, wrong}, []string{`spec: {engine: mysql}`}, ""},
		{"a wrong username of what was adopted", "Database", database, []string{boundDB, wrong}, []string{`spec: {credentials: {username: other}}`}, ""},
		{"stalled for another reason", "Database", database, []string{boundDB, denied}, []string{`spec: {engine: mysql}`}, "spec.engine can't change"},
		{"a wrong location stays", "Database", database, []string{boundDB, wrong}, []string{`spec: {location: us-east-1}`}, "create another Database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := stored(t, tt.kind, tt.object)
			for _, status := range tt.status {
				if err := patch(t, o, status, true); err != nil {
					t.Fatal(err)
				}
			}
			for i, e := range tt.edits {
				err := patch(t, o, e, false)
				if i < len(tt.edits)-1 && err != nil {
					t.Fatalf("edit %d: %v", i, err)
				}
				if i == len(tt.edits)-1 {
					answered(t, err, tt.want)
				}
			}
		})
	}
}

// Validation under status would reject a whole status patch, and the truth with it: a cloud may hold what we would
// not accept.
func TestStatusTakesWhatCloudsHold(t *testing.T) {
	for kind, text := range map[string]string{
		"Bucket": `
status:
  externalName: A_very.Odd-Name
  location: US
  accountID: example.com:my-project
  applied: {tags: [Cost Center], location: [US]}
  pendingChanges: [{field: tags, from: "Cost Center=Ünï cödé", to: ""}]
  observed: {location: US, versioning: MFA, publicAccess: Mixed, tags: {Cost Center: Ünï cödé, "aws:cloudformation:stack": "x y"}, encryption: {key: ""}, future: {a: [1]}}
`,
		"Database": `
status:
  externalName: MyDB
  location: europe-west1
  observed: {engine: oracle-ee, version: 19.0.0.0.ru-2024-01, storage: {sizeGiB: 5}, databaseName: ORCL-1, backup: {retentionDays: 3650}, aws: {instanceClass: serverless}, gcp: {tier: odd}, tags: {A B: C}}
`,
	} {
		t.Run(kind, func(t *testing.T) {
			o := stored(t, kind, `spec: {className: standard}`)
			if err := patch(t, o, text, true); err != nil {
				t.Fatalf("refused: %v", err)
			}
			want := object(t, kind, text).Object["status"].(map[string]any)["observed"]
			if diff := cmp.Diff(want, o.Object["status"].(map[string]any)["observed"]); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
			// Once that is stored the spec can still be edited.
			if err := patch(t, o, `spec: {tags: {a: b}}`, false); err != nil {
				t.Errorf("an edit afterwards: %v", err)
			}
			// And the object can still be let go.
			if err := patch(t, o, `metadata: {finalizers: [mooring.dev/cloud-resource]}`, false); err != nil {
				t.Errorf("a finalizer: %v", err)
			}
			if err := patch(t, o, `metadata: {finalizers: null}`, false); err != nil {
				t.Errorf("no finalizer: %v", err)
			}
		})
	}
}

// The spec is the user's: nothing is written into it but the kind of a reference. Status begins with a
// generation that no object has, so that nobody takes an object that was not looked at for one that is done.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct{ kind, object, want string }{
		{"Bucket", `spec: {providerConfigRef: {name: team}}`, `{spec: {providerConfigRef: {kind: ProviderConfig, name: team}}, status: {observedGeneration: -1}}`},
		{"Bucket", `spec: {className: standard, updates: {}, encryption: {}, tags: {}}`, `{spec: {className: standard, updates: {}, encryption: {}, tags: {}}, status: {observedGeneration: -1}}`},
		{"Database", `spec: {className: standard, storage: {}, backup: {}, credentials: {passwordSecretRef: {name: a}}, aws: {}, connection: {secretName: b}}`,
			`{spec: {className: standard, storage: {}, backup: {}, credentials: {passwordSecretRef: {name: a}}, aws: {}, connection: {secretName: b}}, status: {observedGeneration: -1}}`},
		{"ProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a}}}`,
			`{spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: a}}}, status: {observedGeneration: -1}}`},
		{"ClusterProviderConfig", `spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}}`,
			`{spec: {aws: {region: eu-central-1}, credentials: {ambient: {}}}, status: {observedGeneration: -1}}`},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			o := stored(t, tt.kind, tt.object)
			if err := api.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
				t.Fatal(err)
			}
			want := object(t, tt.kind, tt.want)
			for _, part := range []string{"spec", "status"} {
				if diff := cmp.Diff(want.Object[part], o.Object[part]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", part, diff)
				}
			}
		})
	}
}
