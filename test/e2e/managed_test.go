package e2e

import (
	"maps"
	"net/url"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// source sets where the password of a database comes from.
func source(of v1alpha1.CredentialsSource) func(*v1alpha1.Database) {
	return func(d *v1alpha1.Database) { d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Source: of} }
}

// manages waits until the cloud manages the password as declared, and checks that nobody else has it: the connection Secret says where it is, and Mooring
// stores none.
func (w *fixture) manages(c *system.Cloud, d *v1alpha1.Database) (arn string) {
	w.Helper()
	name := w.ready(d).Status.ExternalName
	w.Refresh(d)
	arn = c.ManagedPasswords().ARN(w.T, name)
	secret := w.Secret("orders-db")
	delete(secret, "certificates") // not every account has them
	w.equal("the keys of the connection Secret", slices.Sorted(maps.Keys(secret)), []string{"database", "host", "password-secret", "port", "provider", "type", "username"})
	w.equal("where the password is", []string{string(secret["password-secret"]), d.Status.PasswordSecret}, []string{arn, arn})
	stored := client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(d.UID)}
	if err := w.Client.Get(w.Context(), stored, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		w.Errorf("Mooring's own Secret: %v, want none", err)
	}
	return arn
}

// connects connects as an application does that has the connection Secret and may read the cloud's secret.
func (w *fixture) connects(c *system.Cloud, arn string) {
	w.Helper()
	secret := w.Secret("orders-db")
	username, password := c.ManagedPasswords().Read(w.T, c, arn)
	uri := url.URL{Scheme: "postgresql", User: url.UserPassword(username, password), Host: string(secret["host"]) + ":" + string(secret["port"]), Path: "/" + string(secret["database"])}
	secret["uri"] = []byte(uri.String())
	if _, _, err := w.query(secret); err != nil {
		w.Errorf("with the password of %s: %v", arn, err)
	}
}

// RDS makes, keeps and changes the password, and Mooring never reads it. An application that may read it connects, after a rotation, too, of which
// neither the connection Secret nor the conditions take notice.
func TestManagedPassword(t *testing.T) {
	w := newFixture(t)
	c := w.realCloud("aws", v1alpha1.EnginePostgres)
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "orders-db")
	source(v1alpha1.CredentialsCloudManaged)(d)
	w.create(d)
	arn := w.manages(c, d)
	w.connects(c, arn)
	name, mark, states := d.Status.ExternalName, len(c.Writes(d.Status.ExternalName)), len(w.States("Database", d.Name, 0))
	_, before := c.ManagedPasswords().Read(w.T, c, arn)
	w.Disturb()
	c.ManagedPasswords().Rotate(w.T, name)
	if _, after := c.ManagedPasswords().Read(w.T, c, arn); after == before {
		w.Error("the password was not rotated")
	}
	w.observedAgain(c, name, 2)
	w.equal("where the password is after a rotation", w.manages(c, d), arn)
	w.connects(c, arn)
	w.expectWrites(c, name, mark, "ModifyDBInstance") // the rotation itself
	for _, s := range w.States("Database", d.Name, 0)[states:] {
		if !s.Is(v1alpha1.ConditionReady, yes) || !s.Is(v1alpha1.ConditionStalled, absent) {
			w.Errorf("while RDS changes the password it is\n    %v", s)
		}
	}
}

// The cloud takes a password over and gives it back, each with one write. The former password holds no more.
func TestPasswordHandedOverAndBack(t *testing.T) {
	w := newFixture(t)
	c := w.realCloud("aws", v1alpha1.EnginePostgres)
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "orders-db")
	w.create(d)
	name := w.ready(d).Status.ExternalName
	generated := w.Secret("orders-db")
	mark := len(c.Writes(name))

	edit(w, d, source(v1alpha1.CredentialsCloudManaged))
	arn := w.manages(c, d)
	w.connects(c, arn)
	if _, _, err := w.query(generated); err == nil {
		w.Error("the generated password still opens the door")
	}
	w.expectWrites(c, name, mark, "ModifyDBInstance")

	edit(w, d, source(v1alpha1.CredentialsGenerated))
	w.ready(d)
	w.Refresh(d)
	again := w.Secret("orders-db")
	if _, _, err := w.query(again); err != nil || len(again["password-secret"]) > 0 || string(again["password"]) == string(generated["password"]) {
		w.Errorf("with another generated password: %v; the Secret has %v", err, slices.Sorted(maps.Keys(again)))
	}
	w.equal("where RDS keeps a password", []string{c.ManagedPasswords().ARN(w.T, name), d.Status.PasswordSecret}, []string{"", ""})
	w.expectWrites(c, name, mark, "ModifyDBInstance", "ModifyDBInstance")

	w.give("mine-is-better")
	edit(w, d, source(v1alpha1.CredentialsCloudManaged))
	w.manages(c, d)
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "admin"}}
	})
	w.ready(d)
	w.equal("the password of the Secret", string(w.Secret("orders-db")["password"]), "mine-is-better")
}

// What somebody turns on or off in the cloud is told, and nothing is done about it before a person approves or accepts it. The object stays Ready.
func TestManagementDrifts(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "orders-db")
	w.create(d)
	name := w.ready(d).Status.ExternalName
	generated := w.Secret("orders-db")
	waits := func(from, to string) string {
		w.Helper()
		w.AwaitObject(d, "waiting for approval", func() bool {
			return slices.ContainsFunc(d.Status.PendingChanges, func(p v1alpha1.PendingChange) bool {
				return p.Field == "credentials.source" && p.From == from && p.To == to && p.WaitsFor == v1alpha1.WaitsForApproval && p.Cause == v1alpha1.CauseDrift
			})
		})
		w.state(d, "ready, and not synced", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionReady, yes) && s.Is(v1alpha1.ConditionSynced, no) && s.Is(v1alpha1.ConditionStalled, absent)
		})
		return d.Status.Plan.Hash
	}
	approve := func(hash string) {
		edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationApprove: hash} })
	}
	mark := len(c.Writes(name))
	w.Disturb()
	c.ManagedPasswords().TurnOn(w.T, name)
	hash := waits("CloudManaged", "Generated")
	w.observedAgain(c, name, 2)
	w.expectWrites(c, name, mark, "ModifyDBInstance")
	w.equal("the connection Secret while it waits", w.Secret("orders-db"), generated)
	approve(hash)
	w.AwaitSecret("orders-db", "with another password", func(data map[string][]byte) bool {
		return string(data["password"]) != string(generated["password"]) && len(data["password"]) > 0
	})
	w.ready(d)
	w.equal("where RDS keeps a password", c.ManagedPasswords().ARN(w.T, name), "")

	w.Disturb()
	c.ManagedPasswords().TurnOn(w.T, name)
	waits("CloudManaged", "Generated")
	mark = len(c.Writes(name))
	edit(w, d, source(v1alpha1.CredentialsCloudManaged)) // as it is
	w.manages(c, d)
	w.expectWrites(c, name, mark)

	w.Disturb()
	c.ManagedPasswords().TurnOff(w.T, name, "somebody-elses")
	hash = waits("", "CloudManaged")
	approve(hash)
	w.manages(c, d)
}

// A secret that RDS can't change any more needs a person. The database can be used all the while.
func TestImpairedPassword(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "orders-db")
	source(v1alpha1.CredentialsCloudManaged)(d)
	w.create(d)
	arn := w.manages(c, d)
	name := d.Status.ExternalName
	w.Disturb()
	w.equal("there is a secret", c.ImpairSecret(c.Account, system.AWSRegion, name, true), true)
	s := w.stalled(d, v1alpha1.ReasonPasswordImpaired, "although the password there can still be used", arn)
	w.equal("available", s.Is(v1alpha1.ConditionAvailable, yes), true)
	c.ImpairSecret(c.Account, system.AWSRegion, name, false)
	w.manages(c, d)
}

// Cloud SQL keeps no passwords. That is known before any call, and without a webhook, too.
func TestManagedPasswordElsewhere(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	source(v1alpha1.CredentialsCloudManaged)(d)
	w.create(d)
	s := w.stalled(d, v1alpha1.ReasonNotSupported, "spec.credentials.source", "CloudManaged is not supported", "set spec.credentials.source to Generated or SecretRef")
	w.equal("its name in the cloud", s.Status.ExternalName, "")
}

// Mooring never asks AWS Secrets Manager for anything, on the way to it and back: it has an account here in which no test reads a secret.
func TestNobodyReadsSecrets(t *testing.T) {
	w := newFixture(t)
	c := w.alone("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "orders-db")
	source(v1alpha1.CredentialsCloudManaged)(d)
	w.create(d)
	w.ready(d)
	if secret := w.Secret("orders-db"); len(secret["password-secret"]) == 0 || len(secret["password"]) > 0 {
		w.Errorf("the connection Secret has %v", slices.Sorted(maps.Keys(secret)))
	}
	edit(w, d, source(v1alpha1.CredentialsGenerated))
	w.ready(d)
	for _, call := range c.Ledger.Calls(localcloud.Filter{Account: c.Account}) {
		if call.Service == "secretsmanager" {
			w.Errorf("Mooring called %s", call.Operation)
		}
	}
}
