package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// preCheck is the operation that looks for what is in the way of another major version, and changes nothing.
// https://docs.cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/preCheckMajorVersionUpgrade
const preCheck = "PRE_CHECK_MAJOR_VERSION_UPGRADE"

// checkCounts is how long what a check found is good for, if it found nothing in the way: somebody may make a table
// every day. It is the same for a person who asks for an observation: the upgrade follows such a check at once, and
// one that found something in the way is made again for whoever asks.
const checkCounts = 24 * time.Hour

// majorWanted returns Cloud SQL's name of the newer major version that an instance is to have; empty if it is to have none. Read replicas are not checked: they have the version of their primary.
func majorWanted(spec *databaseParameters, have *instance) string {
	is := haveVersion(have)
	if spec.Version == nil || is == nil || following(have) != nil {
		return ""
	}
	major := func(version string) string { return portable.MajorVersion(have.engine(), version) }
	name, err := versionName(have.engine(), *spec.Version)
	if err != nil || portable.CompareVersions(major(*spec.Version), major(*is)) <= 0 {
		return ""
	}
	return name
}

// checked reports whether an operation is a check before an upgrade to a version, and done. One that does not say of which version it was counts: it is named by what Mooring stored.
func (o *operation) checked(version string) bool {
	if o.kind() != preCheck || o.Status != "DONE" || version == "" {
		return false
	}
	of := o.PreCheckMajorVersionUpgradeContext
	return of == nil || of.TargetDatabaseVersion == "" || strings.EqualFold(of.TargetDatabaseVersion, version)
}

// found returns what a check found, of one type.
func (o *operation) found(of string) (findings []string) {
	if o == nil || o.PreCheckMajorVersionUpgradeContext == nil {
		return nil
	}
	for _, r := range o.PreCheckMajorVersionUpgradeContext.PreCheckResponse {
		if r.MessageType != of {
			continue
		}
		findings = append(findings, strings.Join(append([]string{strings.TrimRight(r.Message, ". ")}, trimmed(r.ActionsRequired)...), ": "))
	}
	return findings
}

func trimmed(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, strings.TrimRight(text, ". "))
	}
	return out
}

// mostFindings is how many findings of a check are told: each database of a server may have some.
const mostFindings = 10

// listed makes one text of findings.
func (o *operation) listed(findings []string) string {
	if more := len(findings) - mostFindings; more > 0 {
		findings = append(slices.Clone(findings[:mostFindings]), fmt.Sprintf("and %d more, which the operation %s shows", more, o.Name))
	}
	return strings.Join(findings, "; ")
}

// inTheWay returns why an upgrade to a version is not begun, by what a check found, or because the check failed; nil if it can be.
func (o *operation) inTheWay(version string) *driver.Error {
	findings, failure := o.found("ERROR"), o.failure()
	_, short := splitVersion(version)
	e := &driver.Error{Code: driver.Invalid, Op: "instances.preCheckMajorVersionUpgrade"}
	switch {
	case len(findings) > 0:
		e.Message = fmt.Sprintf("Cloud SQL looked for what is in the way of the upgrade to version %s, and found: %s; the server goes on as before. Correct that, and set the annotation mooring.dev/reconcile to another value: "+
			"Mooring then has Cloud SQL look again, and upgrades. Or set spec.version back", short, o.listed(findings))
	case failure != nil:
		e.Message = fmt.Sprintf("Cloud SQL could not look for what is in the way of the upgrade to version %s: %s; the server goes on as before. Set the annotation mooring.dev/reconcile to another value: "+
			"Mooring then upgrades, and Cloud SQL looks in its course. Or set spec.version back", short, strings.TrimRight(failure.Message, ". "))
	default:
		return nil
	}
	return e
}

// warnings says what a check found that keeps no upgrade back; empty for nothing.
func (o *operation) warnings() string {
	findings := o.found("WARNING")
	if o.kind() != preCheck || len(findings) == 0 {
		return ""
	}
	return "Cloud SQL warns: " + o.listed(findings)
}

// counts reports whether what a check found still counts.
func (o *operation) counts(now time.Time) bool {
	ended, err := time.Parse(time.RFC3339, o.EndTime)
	return err == nil && now.Sub(ended) < checkCounts
}

// noteCheck completes the observation of an instance that was checked before the upgrade that is wanted: the operation rests until the upgrade begins, or until somebody asks for another check.
func noteCheck(req *request, have *instance, o *driver.Observation) {
	version := majorWanted(&req.Spec, have)
	if req.Deletion != nil || !have.op.checked(version) {
		return
	}
	o.Operation, o.OperationError = have.op.Name, have.op.inTheWay(version)
}

// An upgrader has Cloud SQL look for what is in the way of another major version before an instance gets it.
type upgrader struct{ of *instances }

// before begins what comes before an upgrade of an instance to a version. Its error is of the changes that wait for that, or why it could not begin; nil if the upgrade can. What comes before is the check; it comes again after one that
// found something in the way, and what has nothing to do with the version is changed before that.
// Whoever may not check, or whose instance can't be checked, has Cloud SQL do so in the course of the upgrade. https://cloud.google.com/sql/docs/mysql/upgrade-major-db-version-inplace
func (p upgrader) before(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change, version string) (operation string, err error) {
	last := *req
	last.Operation = req.Resting
	op, err := p.of.operation(ctx, &last)
	switch {
	case err != nil:
		return "", err
	case !op.checked(version):
	case len(op.found("ERROR")) > 0:
		if operation, err = p.others(ctx, req, have, params, changes); err != nil {
			return operation, err
		}
	case op.failure() != nil, op.counts(p.of.Now()):
		return "", nil //nolint:nilerr // a check that failed keeps no upgrade back
	}
	started, err := session.Do(ctx, p.of.Caller, "instances.preCheckMajorVersionUpgrade", func(ctx context.Context) (*sqladmin.Operation, error) {
		return p.of.sql.Instances.PreCheckMajorVersionUpgrade(p.of.Project, req.Name, &sqladmin.InstancesPreCheckMajorVersionUpgradeRequest{
			PreCheckMajorVersionUpgradeContext: &sqladmin.PreCheckMajorVersionUpgradeContext{TargetDatabaseVersion: version},
		}).Context(ctx).Do()
	})
	switch code := driver.CodeOf(err); {
	case err == nil:
		return started.Name, waits(changes, "Cloud SQL looks first for what is in the way of the upgrade")
	case code == driver.Denied, code == driver.Invalid:
		return "", nil
	}
	return "", err
}

// others makes the changes that have nothing to do with the version, and has the rest wait for them. It does nothing if there are none, or if they wait themselves.
func (p upgrader) others(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (operation string, err error) {
	belongs := func(c driver.Change) bool { return c.Field == "version" || c.Field == "parameters" }
	rest, others := *params, slices.DeleteFunc(slices.Clone(changes), belongs)
	if rest.Version, rest.DatabaseFlags = nil, (table.Delta{}); len(others) == 0 {
		return "", nil
	}
	operation, err = p.of.patch(ctx, req, have, &rest, others)
	later, waiting := errors.AsType[table.FieldErrors](err)
	switch {
	case err != nil && !waiting:
		return operation, err
	case operation == "":
		return "", nil
	}
	upgrade := slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return !belongs(c) })
	return operation, append(later, waits(upgrade, "the other changes are made first, and then Cloud SQL looks again for what is in the way of the upgrade")...)
}

// waits has changes wait for what the cloud is at.
func waits(changes []driver.Change, why string) (later table.FieldErrors) {
	for _, c := range changes {
		later = append(later, driver.FieldError{Field: c.Field, Err: &driver.Error{Code: driver.Busy, Op: "instances.patch", Message: why}})
	}
	return later
}
