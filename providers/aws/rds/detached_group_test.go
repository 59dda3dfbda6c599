package rds_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// setIn is what somebody else sets in a group.
func (w *environment) setIn(group, name, value string) {
	w.T.Helper()
	awstest.Do(w.T, w.RDS.ModifyDBParameterGroup, &rds.ModifyDBParameterGroupInput{DBParameterGroupName: &group, Parameters: []rdstypes.Parameter{
		{ParameterName: &name, ParameterValue: &value, ApplyMethod: rdstypes.ApplyMethodPendingReboot},
	}})
}

// moveTo is what somebody else does who attaches another group to an instance.
func (w *environment) moveTo(instance, group string) {
	w.T.Helper()
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &instance, DBParameterGroupName: &group, ApplyImmediately: new(true)})
	w.Clock.Advance(time.Hour)
}

// A group that somebody detached comes back with what others set in it, whatever Mooring remembers; what the group in its place sets comes along.
func TestDetachedGroupKeepsWhatOthersSet(t *testing.T) {
	for name, tt := range map[string]struct {
		attached string
		edit     func(*request)
		want     map[string]string
	}{
		"default.postgres16": {
			want: map[string]string{"work_mem": "4096", "max_connections": "60", "deadlock_timeout": "2000"},
		},
		"another group": {
			attached: "spare", want: map[string]string{"work_mem": "4096", "max_connections": "80", "deadlock_timeout": "2000", "log_connections": "1"},
		},
		"an entry of the spec is gone, and another comes": {
			edit: func(req *request) { req.Spec.Parameters = parameters{"array_nulls": "0"} },
			want: map[string]string{"array_nulls": "0", "max_connections": "60", "deadlock_timeout": "2000"},
		},
		"nothing is remembered": {
			edit: func(req *request) { req.Applied = nil },
			want: map[string]string{"work_mem": "4096", "max_connections": "60", "deadlock_timeout": "2000"},
		},
		"tls comes beside": {
			edit: func(req *request) { req.Spec.TLS = new(v1alpha1.TLSOptional) },
			want: map[string]string{"work_mem": "4096", "max_connections": "60", "deadlock_timeout": "2000", "rds.force_ssl": "0"},
		},
		"exactly these": {
			edit: func(req *request) { req.Spec.ParametersMode = new(v1alpha1.ParametersExact) },
			want: map[string]string{"work_mem": "4096"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			w.setIn("spare", "log_connections", "1")
			w.setIn("spare", "max_connections", "80")
			req := awstest.DatabaseOf("shop-back", withParameters(parameters{"work_mem": "4096"}))
			w.createDatabase(&req)
			w.setIn("shop-back-a", "max_connections", "60")
			w.setIn("shop-back-a", "deadlock_timeout", "2000")
			w.settle(&req)
			if tt.attached == "" {
				tt.attached = "default.postgres16"
			}
			w.moveTo("shop-back", tt.attached)
			if tt.edit != nil {
				tt.edit(&req)
			}
			w.Ledger.Reset()
			w.settle(&req)
			if got := w.Operations(); slices.Contains(got, "DeleteDBParameterGroup") {
				t.Errorf("calls %q", got)
			}
			w.wantGroups("back", req.Name, map[string]map[string]string{"shop-back-a": tt.want})
			w.wantAttached(&req, "shop-back-a")
		})
	}
}

func (w *environment) wantAttached(req *request, group string) {
	w.T.Helper()
	g := awstest.Do(w.T, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].DBParameterGroups[0]
	if *g.DBParameterGroupName != group || *g.ParameterApplyStatus != "in-sync" {
		w.T.Errorf("it is in %s, %s, want %s", *g.DBParameterGroupName, *g.ParameterApplyStatus, group)
	}
}

// What an earlier attempt left in a group, and nobody asks for any more, does not come to the server with the next one: neither at creation, nor with the
// first parameters of a server, nor with an upgrade.
func TestRemainderOfAnAttempt(t *testing.T) {
	t.Run("creation", func(t *testing.T) {
		w := newEnvironment(t, localcloud.Options{Durations: slow})
		req := awstest.DatabaseOf("shop-tried", withParameters(parameters{"work_mem": "4096", "max_connections": "60"}))
		req.Spec.TLS, req.Spec.AWS.DBSubnetGroupName = new(v1alpha1.TLSOptional), new("none-such")
		req.Applied = w.database(req).Applied
		_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
		awstest.WantCode(t, err, driver.Invalid)
		req.Spec.Parameters, req.Spec.TLS, req.Spec.AWS.DBSubnetGroupName = parameters{"array_nulls": "0"}, nil, nil
		for range 2 { // the second look remembers it too
			req.Applied = w.database(req).Applied
		}
		w.setIn("shop-tried-a", "deadlock_timeout", "2000")
		w.createDatabase(&req)
		w.wantGroups("created", req.Name, map[string]map[string]string{"shop-tried-a": {"array_nulls": "0", "deadlock_timeout": "2000"}})
	})
	t.Run("first parameters", func(t *testing.T) {
		w := newEnvironment(t, localcloud.Options{Durations: slow})
		req := awstest.DatabaseOf("shop-tried", nil)
		w.createDatabase(&req)
		req.Spec.Parameters, req.Spec.TLS = parameters{"work_mem": "4096", "max_connections": "60"}, new(v1alpha1.TLSOptional)
		w.tryInVain(&req, "ModifyDBInstance")
		for _, next := range []parameters{{}, {"array_nulls": "0"}} {
			req.Spec.Parameters, req.Spec.TLS = next, nil
			req.Applied = w.database(req).Applied
		}
		w.settle(&req)
		w.wantGroups("settled", req.Name, map[string]map[string]string{"shop-tried-a": {"array_nulls": "0"}})
		if got := req.Applied["aws.parametersAsked"]; len(got) > 0 {
			t.Errorf("still remembered: %q", got)
		}
	})
	t.Run("upgrade", func(t *testing.T) {
		w := newEnvironment(t, localcloud.Options{Durations: slow})
		req := awstest.DatabaseOf("shop-tried", withParameters(parameters{"work_mem": "4096"}))
		w.createDatabase(&req)
		req.Spec.Version, req.Spec.Parameters = new("17"), parameters{"work_mem": "4096", "max_connections": "60"}
		w.tryInVain(&req, "ModifyDBInstance")
		req.Spec.Parameters = parameters{"work_mem": "4096"}
		for range 2 {
			req.Applied = w.database(req).Applied
		}
		w.setIn("shop-tried-b", "deadlock_timeout", "2000")
		w.settle(&req)
		w.wantGroups("settled", req.Name, map[string]map[string]string{"shop-tried-a": {"work_mem": "4096"}, "shop-tried-b": {"work_mem": "4096", "deadlock_timeout": "2000"}})
	})
}

// tryInVain makes an update of which RDS does not take a call.
func (w *environment) tryInVain(req *request, call string) {
	w.T.Helper()
	seen := w.database(*req)
	req.Applied = seen.Applied
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: call}, Kind: localcloud.ServerError})
	defer lift()
	if result, err := drivertest.Databases(w.Session).Update(w.T.Context(), *req, driver.Edit{Changes: seen.Changes}); err == nil && len(result.Failed) == 0 {
		w.T.Errorf("the update was made")
	}
}

// Somebody upgrades an instance whose group was detached: what others set goes along to the group of the new family as far as that has it, and nothing is
// deleted for it.
func TestDetachedGroupOfAnotherFamily(t *testing.T) {
	for name, byHand := range map[string]bool{"somebody upgraded it": true, "the spec upgrades it": false} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-far", withParameters(parameters{"work_mem": "4096"}))
			w.createDatabase(&req)
			w.setIn("shop-far-a", "max_connections", "60")
			w.settle(&req)
			w.moveTo("shop-far", "default.postgres16")
			if byHand {
				w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, EngineVersion: new("17.4"), AllowMajorVersionUpgrade: new(true), ApplyImmediately: new(true)})
				w.Clock.Advance(time.Hour)
			}
			req.Spec.Version = new("17")
			w.settle(&req)
			all := map[string]string{"work_mem": "4096", "max_connections": "60"}
			w.wantGroups("upgraded", req.Name, map[string]map[string]string{"shop-far-a": all, "shop-far-b": all})
			w.wantAttached(&req, "shop-far-b")
			w.deleteWithGroups(&req)
		})
	}
}

// An upgrade takes along what the attached group sets, also where that is not the instance's own.
func TestUpgradeTakesAnothersGroupAlong(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.setIn("spare", "max_connections", "60")
	req := awstest.DatabaseOf("shop-along", nil)
	w.createDatabase(&req)
	w.moveTo("shop-along", "spare")
	req.Spec.Version, req.Spec.Parameters = new("17"), parameters{"work_mem": "4096"}
	w.settle(&req)
	w.wantGroups("upgraded", req.Name, map[string]map[string]string{"shop-along-a": {"work_mem": "4096", "max_connections": "60"}})
}

// A detached group that another instance has by now is not changed: the instance gets the other one, with what others set in the first.
func TestDetachedGroupInUse(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-lent", withParameters(parameters{"work_mem": "4096"}))
	w.createDatabase(&req)
	w.setIn("shop-lent-a", "deadlock_timeout", "2000")
	w.moveTo("shop-lent", "default.postgres16")
	replica := awstest.DatabaseOf("replica", inParameterGroup("shop-lent-a"))
	w.createDatabase(&replica)
	req.Spec.Parameters = parameters{"work_mem": "8192"}
	w.settle(&req)
	w.wantGroups("settled", req.Name, map[string]map[string]string{
		"shop-lent-a": {"work_mem": "4096", "deadlock_timeout": "2000"}, "shop-lent-b": {"work_mem": "8192", "deadlock_timeout": "2000"},
	})
	w.wantAttached(&req, "shop-lent-b")
}

// marked gives a group the mark of an earlier Database of the name.
func (w *environment) marked(group string, mark driver.Mark) {
	w.T.Helper()
	g := awstest.Do(w.T, w.RDS.DescribeDBParameterGroups, &rds.DescribeDBParameterGroupsInput{DBParameterGroupName: &group}).DBParameterGroups[0]
	awstest.Do(w.T, w.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: g.DBParameterGroupArn, Tags: markTags(mark)})
}

func markTags(mark driver.Mark) (tags []rdstypes.Tag) {
	for key, value := range mark.Labels() {
		tags = append(tags, rdstypes.Tag{Key: &key, Value: &value})
	}
	return tags
}

// A Database is made again under its name, and a group of the former one stays: released, whether an instance uses it or not, or in use by a read replica that
// was promoted. It is left alone, and the new instance gets the other group. Where both stay, nothing is made, and the message says what to do.
func TestMadeAgainBesideGroupsThatStay(t *testing.T) {
	former := func(req *request, released bool) driver.Mark {
		mark := req.Mark
		mark.UID, mark.Released = "the-former-one", released
		return mark
	}
	for name, tt := range map[string]struct {
		released, used, both bool
	}{
		"released": {released: true}, "released and used": {released: true, used: true}, "used": {used: true}, "left behind": {}, "both": {released: true, used: true, both: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-anew", withParameters(parameters{"work_mem": "4096"}))
			stays, groups := map[string]string{"max_connections": "60"}, []string{"shop-anew-a"}
			if tt.both {
				groups = append(groups, "shop-anew-b")
			}
			for _, group := range groups {
				awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: &group, DBParameterGroupFamily: new("postgres16"), Description: &group})
				w.setIn(group, "max_connections", "60")
				w.marked(group, former(&req, tt.released))
			}
			if tt.used {
				replica := awstest.DatabaseOf("replica", inParameterGroup("shop-anew-a"))
				w.createDatabase(&replica)
			}
			switch {
			case tt.both:
				before := w.groups(req.Name)
				req.Applied = w.database(req).Applied
				_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
				awstest.WantCode(t, err, driver.Conflict)
				for _, part := range []string{"shop-anew-a is marked as released", "shop-anew-b is marked as released", "spec.aws.dbParameterGroupName"} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v, want one that says %q", err, part)
					}
				}
				if after := w.groups(req.Name); !maps.EqualFunc(before, after, maps.Equal[map[string]string, map[string]string]) {
					t.Errorf("%v, want %v", after, before)
				}
			case tt.released || tt.used:
				w.createDatabase(&req)
				w.wantGroups("made", req.Name, map[string]map[string]string{"shop-anew-a": stays, "shop-anew-b": {"work_mem": "4096"}})
				w.wantAttached(&req, "shop-anew-b")
			default: // it holds nothing to keep
				w.createDatabase(&req)
				w.wantGroups("made", req.Name, map[string]map[string]string{"shop-anew-a": {"work_mem": "4096"}})
			}
		})
	}
}

// A group of somebody else has the name of one of ours: without a mark, or with that of another object. It is left alone, and the instance gets the other group.
// Where both names are taken, nothing is made, and the message says by what.
func TestAnothersGroupHasTheName(t *testing.T) {
	for name, tt := range map[string]struct {
		mark driver.Mark
		both bool
		make func(*environment, *request) driver.Observation
	}{
		"without a mark, at the creation": {make: (*environment).createDatabase},
		"of another object":               {mark: driver.Mark{Cluster: "cluster-1", Namespace: "bank", Name: "shop-name", UID: "uid-9"}, make: (*environment).createDatabase},
		"parameters that come later": {make: func(w *environment, req *request) driver.Observation {
			asks := req.Spec.Parameters
			req.Spec.Parameters = nil
			w.createDatabase(req)
			req.Spec.Parameters = asks
			w.settle(req)
			return w.database(*req)
		}},
		"both names": {both: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-name", withParameters(parameters{"work_mem": "4096"}))
			theirs, groups := map[string]string{"max_connections": "60"}, []string{"shop-name-a"}
			if tt.both {
				groups = append(groups, "shop-name-b")
			}
			for _, group := range groups {
				awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: &group, DBParameterGroupFamily: new("postgres16"), Description: &group})
				w.setIn(group, "max_connections", "60")
				if !tt.mark.Zero() {
					w.marked(group, tt.mark)
				}
			}
			if tt.both {
				_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
				awstest.WantCode(t, err, driver.Conflict)
				for _, part := range []string{"shop-name-a exists and does not have this object's mark", "shop-name-b exists and", "spec.aws.dbParameterGroupName"} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v, want one that says %q", err, part)
					}
				}
				w.wantGroups("refused", req.Name, map[string]map[string]string{"shop-name-a": theirs, "shop-name-b": theirs})
				return
			}
			tt.make(w, &req)
			w.wantGroups("made", req.Name, map[string]map[string]string{"shop-name-a": theirs, "shop-name-b": {"work_mem": "4096"}})
			w.wantAttached(&req, "shop-name-b")
		})
	}
}

// A group that was released on its own stays released when the Database gets another uid, as after a restore of the cluster, and when the instance itself is
// released and taken back while another instance uses the group. One that was released with the instance comes back with it.
func TestReleasedGroupsStayReleased(t *testing.T) {
	for name, tt := range map[string]struct {
		used, released bool // by a replica; with the instance
		back           bool
	}{
		"another uid": {}, "another uid, in use": {used: true}, "taken back, in use": {used: true, released: true}, "taken back": {released: true, back: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-uid", withParameters(parameters{"work_mem": "4096"}))
			left := req.Mark
			left.UID, left.Released = "the-former-one", true
			awstest.Do(t, w.RDS.CreateDBParameterGroup, &rds.CreateDBParameterGroupInput{DBParameterGroupName: new("shop-uid-a"), DBParameterGroupFamily: new("postgres16"), Description: new("a")})
			w.marked("shop-uid-a", left)
			if tt.used {
				replica := awstest.DatabaseOf("replica", inParameterGroup("shop-uid-a"))
				w.createDatabase(&replica)
			}
			w.createDatabase(&req)
			w.wantAttached(&req, "shop-uid-b")
			mark := func() {
				t.Helper()
				w.command(req, driver.Command{Verb: driver.WriteMark})
			}
			if tt.released {
				req.Mark.Released = true
				mark()
			}
			req.Mark.Released, req.Mark.UID = false, "uid-2"
			mark()
			if got := w.groupMark("shop-uid-a"); got.Released == tt.back {
				t.Errorf("the group of before has the mark %+v, want it to be back: %v", got, tt.back)
			}
			if got := w.groupMark("shop-uid-b"); got != req.Mark {
				t.Errorf("the group of the instance has the mark %+v, want %+v", got, req.Mark)
			}
		})
	}
}

// Other fields that RDS refuses keep neither parameters nor tls away, which share a group, and every refused one is named.
func TestParametersBesideRefusedFields(t *testing.T) {
	for name, before := range map[string]parameters{"first parameters": nil, "a group of its own": {"work_mem": "4096"}} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-joint", withParameters(before))
			w.createDatabase(&req)
			req.Spec.Parameters, req.Spec.TLS = parameters{"work_mem": "8192"}, new(v1alpha1.TLSOptional)
			req.Spec.AWS.CACertificateIdentifier, req.Spec.AWS.DBSubnetGroupName = new("none-such"), new("none-such")
			result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
			if err != nil {
				t.Fatal(err)
			}
			failed := map[string]driver.Code{}
			for _, f := range result.Failed {
				failed[f.Field] = driver.CodeOf(f.Err)
			}
			want := map[string]driver.Code{"aws.caCertificateIdentifier": driver.Invalid, "aws.dbSubnetGroupName": driver.Invalid}
			if !maps.Equal(failed, want) {
				t.Errorf("failed %v, want %v", result.Failed, want)
			}
			w.Clock.Advance(time.Hour)
			w.wantGroups("made", req.Name, map[string]map[string]string{"shop-joint-a": {"work_mem": "8192", "rds.force_ssl": "0"}})
			req.Spec.AWS.CACertificateIdentifier, req.Spec.AWS.DBSubnetGroupName = nil, nil
			w.settle(&req)
			w.wantAttached(&req, "shop-joint-a")
		})
	}
}

// A group that an attempt left as it is to be is attached with the next one, and not written again.
func TestRemainderOfAnAttemptServes(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-again", nil)
	w.createDatabase(&req)
	req.Spec.Parameters = parameters{"work_mem": "4096", "log_connections": "on"}
	w.tryInVain(&req, "ModifyDBInstance")
	w.Ledger.Reset()
	w.settle(&req)
	if got := w.Operations(); slices.Contains(got, "ModifyDBParameterGroup") {
		t.Errorf("calls %q", got)
	}
	w.wantGroups("settled", req.Name, map[string]map[string]string{"shop-again-a": {"work_mem": "4096", "log_connections": "1"}})
	w.wantAttached(&req, "shop-again-a")
}
