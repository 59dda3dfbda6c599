package rds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// An associator gives roles to instances.
type associator struct{ of *instances }

// A roleWrite is one change of the roles of an instance.
type roleWrite struct {
	associator
	have *instance
	set  []v1alpha1.AssociatedRole // to be associated
	// leave are the roles that go: of features that no longer have one, those in whose place others come, and those that are associated anew.
	leave []v1alpha1.AssociatedRole
	gone  map[string]*driver.Error // how it went to take away the role of a feature; nil if it did
}

// write takes roles from an instance and associates others, by a call for each, one feature after the other: a feature is without a role for as short as can be,
// and one that is refused keeps no other from its role. Where RDS still takes away the role that another one follows, that one is associated after that.
func (a associator) write(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (string, error) {
	w := a.planned(&req.Spec, have, params.AssociatedRoles, changes)
	if err := rolesLater(have); err != nil {
		return "", err
	}
	var failed []*driver.Error
	for _, feature := range w.features() {
		e := w.change(ctx, feature)
		if e == nil || slices.Contains(failed, e) {
			continue
		}
		failed = append(failed, e)
		if !slices.Contains([]driver.Code{driver.Invalid, driver.Denied, driver.Quota, driver.Conflict}, e.Code) {
			break
		}
	}
	return "", table.Joined(failed)
}

// planned returns what a change takes.
func (a associator) planned(spec *databaseSpec, have *instance, change table.Members[v1alpha1.AssociatedRole], changes []driver.Change) *roleWrite {
	w := &roleWrite{associator: a, have: have, set: slices.Clone(change.Set), gone: map[string]*driver.Error{}}
	named := func(feature string) bool {
		return slices.ContainsFunc(changes, func(c driver.Change) bool { return slices.Contains(c.Names, feature) })
	}
	for _, role := range *rolesOf(have) {
		again := isUnusable(spec, have, role) && named(role.FeatureName)
		replaced := slices.ContainsFunc(change.Set, func(r v1alpha1.AssociatedRole) bool { return r.FeatureName == role.FeatureName && r != role })
		if again {
			w.set = append(w.set, role)
		}
		if again || replaced || slices.Contains(change.Remove, role.FeatureName) {
			w.leave = append(w.leave, role)
		}
	}
	return w
}

// features returns the features whose roles change: those that no longer have one are first.
func (w *roleWrite) features() (features []string) {
	for _, role := range w.leave {
		if w.wanted(role.FeatureName) == nil {
			features = append(features, role.FeatureName)
		}
	}
	for _, role := range w.set {
		features = append(features, role.FeatureName)
	}
	return features
}

// wanted returns the role that a feature is to have, nil if it is to have none.
func (w *roleWrite) wanted(feature string) *v1alpha1.AssociatedRole {
	if at := slices.IndexFunc(w.set, func(r v1alpha1.AssociatedRole) bool { return r.FeatureName == feature }); at >= 0 {
		return &w.set[at]
	}
	return nil
}

// change gives a feature the role that it is to have. What is in the way goes before: the role of the feature, and the wanted role where another feature gives it up.
func (w *roleWrite) change(ctx context.Context, feature string) *driver.Error {
	role := w.wanted(feature)
	for _, leaving := range w.inTheWay(feature) {
		if e := w.takeAway(ctx, leaving); e != nil {
			return e
		}
	}
	if role == nil {
		return nil
	}
	err := w.add(ctx, *role)
	if err == nil {
		w.of.takenRoles.replaced(w.have, feature)
		return nil
	}
	return session.AsError(explainRole(err, *role, w.of.takenRoles.of(w.have, feature).arn))
}

// inTheWay returns the roles that go before a feature has the role that it is to have.
func (w *roleWrite) inTheWay(feature string) (roles []v1alpha1.AssociatedRole) {
	role := w.wanted(feature)
	for _, leaving := range w.leave {
		if leaving.FeatureName == feature || role != nil && leaving.RoleARN == role.RoleARN {
			roles = append(roles, leaving)
		}
	}
	return roles
}

// takeAway takes a role away, once.
func (w *roleWrite) takeAway(ctx context.Context, role v1alpha1.AssociatedRole) *driver.Error {
	if e, was := w.gone[role.FeatureName]; was {
		return e
	}
	w.gone[role.FeatureName] = nil
	if err := w.remove(ctx, role); err != nil {
		w.gone[role.FeatureName] = session.AsError(explainRoleRemoval(err, role, w.wanted(role.FeatureName)))
	} else if w.wanted(role.FeatureName) != nil {
		w.of.takenRoles.note(w.have, role.FeatureName, takenRole{arn: role.RoleARN, at: w.of.Now()})
	}
	return w.gone[role.FeatureName]
}

func (w *roleWrite) remove(ctx context.Context, role v1alpha1.AssociatedRole) error {
	_, err := session.Call(ctx, w.of.Session, "RemoveRoleFromDBInstance", w.of.rds.RemoveRoleFromDBInstance, &rds.RemoveRoleFromDBInstanceInput{
		DBInstanceIdentifier: w.have.DBInstanceIdentifier, FeatureName: &role.FeatureName, RoleArn: &role.RoleARN,
	}, onceRDS)
	if session.ErrorCode(err) == "DBInstanceRoleNotFound" { // an earlier call did it
		return nil
	}
	return err
}

// add associates a role. RDS may have it in the place of one that was taken away before only later.
func (w *roleWrite) add(ctx context.Context, role v1alpha1.AssociatedRole) error {
	_, err := session.Call(ctx, w.of.Session, "AddRoleToDBInstance", w.of.rds.AddRoleToDBInstance, &rds.AddRoleToDBInstanceInput{
		DBInstanceIdentifier: w.have.DBInstanceIdentifier, FeatureName: &role.FeatureName, RoleArn: &role.RoleARN,
	}, onceRDS)
	if session.ErrorCode(err) != "DBInstanceRoleAlreadyExists" {
		return err
	}
	now, unread := w.of.describe(ctx, aws.ToString(w.have.DBInstanceIdentifier))
	if unread != nil || now == nil {
		return cmp.Or(unread, err)
	}
	at := slices.IndexFunc(*rolesOf(now), func(r v1alpha1.AssociatedRole) bool {
		return r.FeatureName == role.FeatureName || r.RoleARN == role.RoleARN
	})
	inTheWay, later := w.inTheWay(role.FeatureName), driver.Error{Code: driver.Busy, Op: "AddRoleToDBInstance"}
	switch {
	case at < 0 && len(inTheWay) == 0:
		later.Message = fmt.Sprintf("RDS says that the server has role %s, or another one for %s, and shows none: Mooring tries again", role.RoleARN, role.FeatureName)
	case at < 0 || slices.Contains(inTheWay, (*rolesOf(now))[at]):
		later.Message = fmt.Sprintf("RDS is taking away the former role: Mooring associates %s with %s after that", role.RoleARN, role.FeatureName)
	case (*rolesOf(now))[at] == role: // an earlier call did it
		return nil
	default:
		return err
	}
	return &later
}

// explainRole says what to do about a role that RDS does not take, or that this identity may not hand to it. former is the role that the feature had before, and lost to
// this one; empty if there is none. No recording shows a refusal; the words for a role are those of monitoring, as others know them.
// https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/rds/instance_role_association.go
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.S3Import.ARNRole.html
func explainRole(err error, role v1alpha1.AssociatedRole, former string) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	advice := adviceOnRole(session.ErrorCode(err), e.Code, strings.ToLower(session.ErrorMessage(err)))
	if advice == "" {
		return err
	}
	explained, taken := *e, ""
	if former != "" && former != role.RoleARN {
		taken, advice = fmt.Sprintf(", and the former role %s was taken away before", former), "put that one back, or "+advice
	}
	explained.Message = fmt.Sprintf("spec.%s has role %s for %s%s: %s. RDS says: %s", fieldRoles, role.RoleARN, role.FeatureName, taken, advice, e.Message)
	return &explained
}

// adviceOnRole says what to do about a refusal by its codes and its words, in lower case; empty if that is not known.
func adviceOnRole(apiCode string, code driver.Code, words string) string {
	const (
		otherRole    = "name a role that exists in the server's account, and that rds.amazonaws.com may assume"
		otherFeature = "name a feature of the server's engine and version, such as s3Import, s3Export or Lambda of PostgreSQL"
	)
	switch {
	case apiCode == "DBInstanceRoleAlreadyExists":
		return "RDS takes one role for a feature, and a role for one feature: name another role, or take away the other association in RDS"
	case apiCode == "DBInstanceRoleQuotaExceeded":
		return "the server has as many roles as RDS takes: remove an entry, or take away one in RDS that others associated"
	case code != driver.Denied && code != driver.Invalid:
		return ""
	case strings.Contains(words, "cross-account"):
		return "name a role of the server's account"
	case strings.Contains(words, "passrole"), strings.Contains(words, "pass role"):
		return "allow iam:PassRole on this role to this identity, or name another role"
	case code == driver.Denied:
		return "allow this identity what RDS names, as rds:AddRoleToDBInstance on the server"
	case strings.Contains(words, "iam role"):
		return otherRole
	case strings.Contains(words, "feature"):
		return otherFeature
	}
	return otherRole + "; or " + otherFeature
}

// explainRoleRemoval says what to do about a role that RDS does not take away. wanted is the one that its feature is to have: the same where it is to be associated anew.
func explainRoleRemoval(err error, role v1alpha1.AssociatedRole, wanted *v1alpha1.AssociatedRole) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	advice, keeps, orElse := "take it away in RDS", "which spec."+fieldRoles+" no longer has", ", or put the role back into the spec"
	if wanted != nil && *wanted == role {
		keeps, orElse = "which is to be associated anew", ", or name another role in spec."+fieldRoles
	}
	switch e.Code {
	case driver.Denied:
		advice = "allow rds:RemoveRoleFromDBInstance on the server to this identity"
	case driver.Invalid, driver.Conflict:
	default:
		return err
	}
	explained := *e
	explained.Message = fmt.Sprintf("the server keeps role %s for %s, %s: %s%s. RDS says: %s", role.RoleARN, role.FeatureName, keeps, advice, orElse, e.Message)
	return &explained
}
