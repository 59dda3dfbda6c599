package driver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/table"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(d *driver.Description)
		want  []string // parts of what is said; none: nothing is wrong
	}{
		{"as it is", func(*driver.Description) {}, nil},
		{"no name", func(d *driver.Description) { d.Name = "" }, []string{"has no name"}},
		{"a cloud without a block", func(d *driver.Description) { d.Name = "azure" }, []string{`no cloud "azure"`, "aws, gcp", "v1alpha1.Account"}},
		{"no title", func(d *driver.Description) { d.Title = "" }, []string{"has no title"}},
		{"no such account field", func(d *driver.Description) { d.Account.ID = "project" }, []string{`Account.ID is "project"`, "region, accountID"}},
		{"no such region field", func(d *driver.Description) { d.Account.Region = "" }, []string{`Account.Region is ""`}},
		{"no required key", func(d *driver.Description) { d.Secret.Required = nil }, []string{"Secret.Required"}},
		{"a key twice", func(d *driver.Description) { d.Secret.Optional = d.Secret.Required[:1] }, []string{`"AWS_ACCESS_KEY_ID" is there twice`}},
		{"an empty key", func(d *driver.Description) { d.Secret.Optional = []string{""} }, []string{"Secret: a name is empty"}},
		{"a public key twice", func(d *driver.Description) { d.Secret.Public = []string{"type", "type"} }, []string{`Secret.Public: "type" is there twice`}},
		{"no audience", func(d *driver.Description) { d.Audience = driver.Audience{} }, []string{"exactly one of Audience.Fixed and Audience.Field"}},
		{"two audiences", func(d *driver.Description) { d.Audience.Field = "provider" }, []string{"exactly one of Audience.Fixed and Audience.Field"}},
		{"an audience that is nowhere", func(d *driver.Description) { d.Audience = driver.Audience{Field: "pool"} }, []string{`Audience.Field is "pool"`}},
		{"no resources", func(d *driver.Description) { d.Resources = nil }, []string{"no resources"}},
		{"a kind twice", func(d *driver.Description) { d.Resources[1].Kind = "Bucket" }, []string{`kind "Bucket" twice`}},
		{"no such kind", func(d *driver.Description) { d.Resources[0].Kind = "Queue" }, []string{`no kind "Queue"`, "Bucket, Database"}},
		{"a kind without a title", func(d *driver.Description) { d.Resources[0].Title = "" }, []string{"kind Bucket: it has no title"}},
		{"nothing says whose it is", func(d *driver.Description) { d.Resources[0].Ownership = "" }, []string{`kind Bucket: Ownership is ""`, `"Tags" "Parent" "Registry"`}},
		{"an unknown ownership", func(d *driver.Description) { d.Resources[0].Ownership = "Name" }, []string{`kind Bucket: Ownership is "Name"`}},
		{"owned by a parent that there is not", func(d *driver.Description) { d.Resources[0].Ownership = driver.OwnedByParent },
			[]string{"kind Bucket: Ownership is Parent, and there is no parent; set Parent"}},
		{"a registry that is nowhere", func(d *driver.Description) { d.Resources[0].Ownership = driver.OwnedByRegistry }, []string{`kind Bucket: Registry is ""`}},
		{"a registry that nobody uses", func(d *driver.Description) { d.Resources[0].Registry = "a table" }, []string{`kind Bucket: Registry is "a table", and Ownership is "Tags"`}},
		{"a registry", func(d *driver.Description) {
			d.Resources[0].Ownership, d.Resources[0].Registry = driver.OwnedByRegistry, "a table"
		}, nil},
		{"within a parent", within("Database", ""), nil},
		{"owned by its parent", func(d *driver.Description) {
			d.Resources[0].Parent, d.Resources[0].Ownership = "Database", driver.OwnedByParent
		}, nil},
		{"within a parent that the cloud lacks", within("Queue", ""), []string{`kind Bucket: Parent is "Queue", a kind that the cloud lacks; describe Queue too`}},
		{"within itself", within("Bucket", ""), []string{"kind Bucket: it is within itself: Bucket within Bucket; correct Parent"}},
		{"within what is within it", within("Database", "Bucket"), []string{
			"kind Bucket: it is within itself: Bucket within Database within Bucket", "kind Database: it is within itself: Database within Bucket within Database"}},
		{"a field that stands for none", func(d *driver.Description) {
			d.Resources[0].Fields[0].StandsFor = &driver.Alternative{Field: "nothing"}
		}, []string{`stands for "nothing", which has no row of its own`, `stands for "nothing", and no values of the two agree`}},
		{"a value that stands for nothing", func(d *driver.Description) { d.Resources[0].Fields[0].Indirect = "^alias/" }, []string{`the row for "location" has the expression "^alias/" in Indirect`}},
		{"an expression that is none", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers, d.Resources[0].Fields[0].Indirect = driver.ReferenceKey, "("
		}, []string{`has the expression "(" in Indirect`}},
		{"a further name in a list that has no first one", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers, d.Resources[0].Fields[0].Further = driver.ReferenceBucket, []driver.Referrer{{In: "key", Sort: driver.ReferenceKey}}
		}, []string{`the row for "location" has {In:key Sort:encryption key} in Further`}},
		{"a further name of nothing that there is", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers, d.Resources[0].Fields[0].ReferredIn = driver.ReferenceBucket, "bucket"
			d.Resources[0].Fields[0].Further = []driver.Referrer{{In: "key", Sort: "planet"}}
		}, []string{`the row for "location" has {In:key Sort:planet} in Further`}},
		{"one path for two names in a list", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers, d.Resources[0].Fields[0].ReferredIn = driver.ReferenceBucket, "bucket"
			d.Resources[0].Fields[0].Further = []driver.Referrer{{In: "key", Sort: driver.ReferenceKey}, {In: "key", Sort: driver.ReferenceRole}}
		}, []string{`the path "location.key" is Further of the row for "location" and Further of the row for "location"`}},
		{"the path of a name in a list is that of another row", func(d *driver.Description) {
			d.Resources[0].Fields = append(d.Resources[0].Fields, driver.Field{Field: "aws.notifications.queues.topic", Effects: table.Always(driver.Online)})
			for i, row := range d.Resources[0].Fields {
				if row.Field == "location" {
					d.Resources[0].Fields[i].Field, d.Resources[0].Fields[i].Refers, d.Resources[0].Fields[i].ReferredIn = "aws.notifications.queues", driver.ReferenceQueue, "arn"
					d.Resources[0].Fields[i].Further = []driver.Referrer{{In: "topic", Sort: driver.ReferenceTopic}}
				}
			}
		}, []string{`the path "aws.notifications.queues.topic" is Further`}},
		{"a name in no member of the entries", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers, d.Resources[0].Fields[0].ReferredIn = driver.ReferenceBucket, "bucket"
		}, []string{`the row for "location" says that "bucket" in each entry names a cloud object`}},
		{"a reference that only the class may give", func(d *driver.Description) {
			d.Resources[0].Fields[0].Refers = driver.ReferenceBucket
			d.Resources[0].Reserved = []driver.Reserved{{Field: "location", Value: "a", Does: "it opens all"}}
		}, []string{`the path "location" is Reserved and the row for "location"`}},
		{"a name in a list of nothing", func(d *driver.Description) { d.Resources[0].Fields[0].ReferredIn = "arn" }, []string{`the row for "location" has ReferredIn "arn"`}},
		{"a field that refers to nothing that there is", func(d *driver.Description) { d.Resources[0].Fields[0].Refers = "planet" },
			[]string{`kind Bucket: the row for "location" refers to "planet"`, `"encryption key" "network"`}},
		{"a reserved value of no field", func(d *driver.Description) {
			d.Resources[0].Reserved = []driver.Reserved{{Field: "nothing", Value: "true"}}
		}, []string{`kind Bucket: Reserved names "nothing"`, `Reserved does not say of "nothing" which value, or what that does`}},
		{"names without room", func(d *driver.Description) { d.Resources[0].Name.MaxLength = 8 }, []string{"kind Bucket: Name.MaxLength is 8"}},
		{"a pattern that does not compile", pattern(driver.NamePattern{Match: "(", Rule: "no"}), []string{"kind Bucket: Name.Patterns[0]"}},
		{"a pattern without a rule", pattern(driver.NamePattern{Match: "a"}), []string{"kind Bucket: Name.Patterns[0] lacks"}},
		{"a limit that nothing says", func(d *driver.Description) { d.Resources[0].Name.WithAccount = 98 }, []string{"Name.WithAccountRule"}},
		{"an account that leaves no room", withAccount(98 - 15), []string{"kind Bucket: Name.WithAccount is 83"}},
		{"a limit that no regular expression takes", withAccount(1001), []string{"kind Bucket: Name.WithAccount is 1001", "to 1000"}},
		{"a limit for both", withAccount(98), nil},
		{"a second form of names", scope("accountID", "Own", "-{account}-{location}-own"), nil},
		{"a second form by a field that there is not", scope("names", "Own", "-own"), []string{`kind Bucket: Name.Scope.Setting is "names"`, "accountID"}},
		{"a second form that is the first", scope("accountID", "", "-own"), []string{"kind Bucket: Name.Scope.Value is empty"}},
		{"a suffix that ends a name with a hyphen", scope("accountID", "Own", "-{account}-"), []string{`kind Bucket: Name.Scope.Suffix is "-{account}-"`}},
		{"a suffix of another placeholder", scope("accountID", "Own", "-{project}"), []string{`kind Bucket: Name.Scope.Suffix is "-{project}"`}},
		{"a suffix that leaves no room", scope("accountID", "Own", "-"+strings.Repeat("x", 43)), []string{"kind Bucket: Name.Scope.Suffix leaves 19 characters"}},
		{"a login without a username", without(driver.FieldUsername), []string{`kind Database: Capabilities.Login is true`, "have both or none"}},
		{"restores what was deleted, and nothing to a time", func(d *driver.Description) { d.Resources[1].Capabilities.RestoresDeleted = true }, []string{"kind Database: Capabilities.RestoresDeleted needs Capabilities.PointInTime"}},
		{"an action that people can't ask for", func(d *driver.Description) { d.Resources[1].Capabilities.Actions = []driver.Action{driver.Promote} }, []string{`kind Database: Capabilities.Actions names "promote"`}},
		{"a username without a login", func(d *driver.Description) { d.Resources[1].Capabilities.Login = false }, []string{"Capabilities.Login is false"}},
		{"a login without a rule for passwords", passwords(), []string{"kind Database: Capabilities.Login is true, and there are 0 rules in Passwords"}},
		{"rules for passwords without a login", func(d *driver.Description) { d.Resources[0].Passwords = []driver.PasswordRule{{}} },
			[]string{"kind Bucket: Capabilities.Login is false, and there are 1 rules in Passwords"}},
		{"engines without a rule", passwords(driver.PasswordRule{Engines: []string{"mysql"}}), []string{"0 rules without engines; have exactly one"}},
		{"two rules for all engines", passwords(driver.PasswordRule{}, driver.PasswordRule{}), []string{"2 rules without engines; have exactly one"}},
		{"an engine twice", passwords(driver.PasswordRule{}, driver.PasswordRule{Engines: []string{"mysql", "mysql"}}), []string{`Passwords.Engines: "mysql" is there twice`}},
		{"a password that can't be", passwords(driver.PasswordRule{MinLength: 8, MaxLength: 4}), []string{"no password has 8 to 4 bytes"}},
		{"no scheme", func(d *driver.Description) { d.Resources[0].Connection.Scheme = "" }, []string{"kind Bucket: set both of Connection.Type"}},
		{"no connection", func(d *driver.Description) { d.Resources[0].Connection = driver.Connection{} }, []string{"kind Bucket: it has neither a login nor a Connection"}},
		{"a full stop", func(d *driver.Description) { d.Resources[0].Restore = "undelete it." }, []string{`Restore "undelete it." ends with a full stop`}},
		{"no noun", consequences(func(c *driver.Consequences) { c.Noun = "" }), []string{"kind Database: Consequences.Noun is empty"}},
		{"versions of which nothing says how they change", func(d *driver.Description) { withoutLack(d, driver.FieldStrategy) }, []string{`Capabilities.Beside is false, and Lacks names "updates.strategy": false`}},
		{"versions that can and can't be changed by another server", func(d *driver.Description) { d.Resources[1].Capabilities.Beside = true }, []string{`Capabilities.Beside is true, and Lacks names "updates.strategy": true`}},
		{"another server without versions", func(d *driver.Description) { d.Resources[0].Capabilities.Beside = true }, []string{`kind Bucket: Capabilities.Beside needs a row for "version"`}},
		{"snapshots that nothing tells of", consequences(func(c *driver.Consequences) { c.SnapshotKept = "" }), []string{`SnapshotKept is "", and Capabilities.Snapshots is true`}},
		{"snapshots that there are not", func(d *driver.Description) { d.Resources[1].Capabilities.Snapshots = false },
			[]string{"Capabilities.Snapshots is false", "Consequences.WithSnapshot is"}},
		{"contents that nothing tells of", func(d *driver.Description) { d.Resources[0].Consequences.Contents = "" }, []string{`kind Bucket: Consequences.Contents is ""`}},
		{"contents that there are not", consequences(func(c *driver.Consequences) { c.Contents = "all tables" }), []string{"Capabilities.Contents is false"}},
		{"an unset field that no spec has", unset("backup.retentoinDays", "set spec.backup"), []string{`Consequences.Unset names "backup.retentoinDays"`}},
		{"an unset field twice", unset("version", "set spec.version"), []string{`Consequences.Unset: "version" is there twice`}},
		{"an unset field without advice", unset("engine", "it is chosen"), []string{`Consequences.Unset says of "engine" "it is chosen"`, "set spec.engine"}},
		{"a full stop", unset("engine", "to choose it, set spec.engine."), []string{"ends with a full stop"}},
		{"a field without a row", func(d *driver.Description) { d.Resources[0].Fields = d.Resources[0].Fields[1:] }, []string{`kind Bucket: there is no row for "location"`}},
		{"a row without a field", row(driver.Field{Field: "colour", Effects: table.Always(driver.Online)}), []string{`a row for "colour"`}},
		{"a row twice", row(driver.Field{Field: "tags", Effects: table.Always(driver.Online)}), []string{`kind Bucket: Fields: "tags" is there twice`}},
		{"a row without an effect", effects(), []string{`the row for "location" does not say`}},
		{"an unknown effect", effects(driver.PossibleEffect{Effect: "Explodes"}), []string{`"Explodes", which is no effect`, "Online"}},
		{"two effects without conditions", effects(driver.PossibleEffect{Effect: driver.Online}, driver.PossibleEffect{Effect: driver.Restarts}), []string{"a condition"}},
		{"one effect with a condition", effects(driver.PossibleEffect{Effect: driver.Online, When: "it rains"}), []string{"a single one none"}},
		{"impossible, and nothing to do instead", effects(driver.PossibleEffect{Effect: driver.Impossible}), []string{"what to do instead"}},
		{"the dangerous first", effects(driver.PossibleEffect{Effect: driver.LosesBackups, When: "a"}, driver.PossibleEffect{Effect: driver.Online, When: "b"}), []string{"the harmless first"}},
		{"a restart that costs nothing", effects(driver.PossibleEffect{Effect: driver.Restarts}), []string{`the row for "location" says of Restarts nothing about how long`, "set Cost"}},
		{"an interruption that costs nothing", effects(driver.PossibleEffect{Effect: driver.Interrupts}), []string{"says of Interrupts nothing"}},
		{"a cost of what nobody notices", effects(driver.PossibleEffect{Effect: driver.Online, Cost: driver.Cost{Text: "a minute"}}), []string{"says of Online that it costs"}},
		{"a row and an exemption", exempt("tags", "why not"), []string{`"tags" has a row and an exemption`}},
		{"an exemption without a reason", exempt("forceDestroy", ""), []string{`"forceDestroy" gives no reason`}},
		{"an exemption of nothing", exempt("colour", "none has one"), []string{`an exemption for "colour"`}},
		{"lacks a field", lack(driver.Lack{Field: "tags", Why: "none has tags", Instead: "remove it"}, true), nil},
		{"lacks a field that has a row", lack(driver.Lack{Field: "tags", Why: "none has tags", Instead: "remove it"}, false), []string{`"tags" has a row, and Lacks says`}},
		{"lacks values", lack(driver.Lack{Field: "tags", Match: "a", Values: "a", Unless: map[string]string{"location": "^eu"}, Why: "b", Instead: "c"}, false), nil},
		{"lacks values of a field, and does what the others say anyway", lack(driver.Lack{Field: "tags", Match: "a", Values: "a", Why: "b", Instead: "c"}, true), nil},
		{"lacks values that nothing names", lack(driver.Lack{Field: "tags", Match: "a", Why: "b", Instead: "c"}, false), []string{"both of Match and Values"}},
		{"lacks values that can't be told", lack(driver.Lack{Field: "tags", Match: "(", Values: "a", Why: "b", Instead: "c"}, false), []string{`the values of "tags"`, "correct Match"}},
		{"lacks entries", lack(driver.Lack{Field: "tags", Each: driver.EntryKey, Match: "a", Values: "a", Why: "b", Instead: "c"}, false), nil},
		{"lacks entries of no kind", lack(driver.Lack{Field: "tags", Each: "Half", Match: "a", Values: "a", Why: "b", Instead: "c"}, false), []string{"Each is", "Half"}},
		{"lacks all entries", lack(driver.Lack{Field: "tags", Each: driver.EntryKey, Why: "b", Instead: "c"}, true), []string{"beside Match"}},
		{"lacks what no spec has", lack(driver.Lack{Field: "colour", Why: "b", Instead: "c"}, false), []string{`Lacks names "colour"`}},
		{"lacks a field, and gives no reason", lack(driver.Lack{Field: "tags", Instead: "c"}, true), []string{"set both of Why and Instead"}},
		{"lacks a field, and gives no advice", lack(driver.Lack{Field: "tags", Why: "b"}, true), []string{"set both of Why and Instead"}},
		{"lacks values unless it has what no spec has", lack(driver.Lack{Field: "tags", Match: "a", Values: "a", Unless: map[string]string{"colour": "red"}, Why: "b", Instead: "c"}, false),
			[]string{`unless "colour" is "red"`}},
		{"lacks values with a value of another field", lack(driver.Lack{Field: "tags", Match: "a", Values: "a", With: map[string]string{"location": "^eu"}, Why: "b", Instead: "c"}, false), nil},
		{"lacks values with what no spec has", lack(driver.Lack{Field: "tags", Match: "a", Values: "a", With: map[string]string{"colour": "red"}, Why: "b", Instead: "c"}, false),
			[]string{`with "colour" is "red"`}},
		{"lacks a field that is exempt", func(d *driver.Description) {
			exempt("forceDestroy", "why not")(d)
			lack(driver.Lack{Field: "forceDestroy", Why: "b", Instead: "c"}, false)(d)
		}, []string{`"forceDestroy" has an exemption, and Lacks names it`}},
		{"the block of another cloud needs no row", without("gcp.tier"), nil},
		{"the cloud's own block does", without("aws.instanceClass"), []string{`kind Database: there is no row for "aws.instanceClass"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mem.Describe("aws")
			tt.spoil(&d)
			err := d.Validate()
			if (err == nil) != (len(tt.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

func pattern(p driver.NamePattern) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[0].Name.Patterns = []driver.NamePattern{p} }
}

// passwords replaces the rules for the passwords of databases.
func passwords(rules ...driver.PasswordRule) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[1].Passwords = rules }
}

// within gives buckets and databases parents.
func within(bucket, database string) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[0].Parent, d.Resources[1].Parent = bucket, database }
}

func withAccount(characters int) func(*driver.Description) {
	return func(d *driver.Description) {
		d.Resources[0].Name.WithAccount, d.Resources[0].Name.WithAccountRule = characters, "together"
	}
}

// consequences changes what is told of databases.
func consequences(change func(*driver.Consequences)) func(*driver.Description) {
	return func(d *driver.Description) { change(&d.Resources[1].Consequences) }
}

func unset(field, means string) func(*driver.Description) {
	return consequences(func(c *driver.Consequences) { c.Unset = append(c.Unset, driver.UnsetField{Field: field, Means: means}) })
}

func row(doc driver.Field) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[0].Fields = append(d.Resources[0].Fields, doc) }
}

func effects(possible ...driver.PossibleEffect) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[0].Fields[0].Effects = possible }
}

func exempt(leaf, reason string) func(*driver.Description) {
	return func(d *driver.Description) { d.Resources[0].Exempt[leaf] = reason }
}

// without takes a row of databases out.
func without(name string) func(*driver.Description) {
	return func(d *driver.Description) {
		var rest []driver.Field
		for _, doc := range d.Resources[1].Fields {
			if doc.Field != name {
				rest = append(rest, doc)
			}
		}
		d.Resources[1].Fields = rest
	}
}

// misnamed is a driver that describes itself as another one.
type misnamed struct {
	driver.Driver
	as string
}

func (m misnamed) Describe() driver.Description {
	d := m.Driver.Describe()
	d.Name = m.as
	return d
}

// dated is a driver of another version of the contract, whose description says nothing else.
type dated struct{ driver.Driver }

func (dated) Describe() driver.Description { return driver.Description{Name: "aws", Contract: 99} }

func TestCheck(t *testing.T) {
	right := mem.New(mem.Options{}).Driver()
	for _, tt := range []struct {
		name    string
		drivers map[string]driver.Driver
		want    []string
	}{
		{"none", nil, nil},
		{"its own name", map[string]driver.Driver{"aws": right}, nil},
		{"another's name", map[string]driver.Driver{"gcp": right}, []string{`driver "gcp"`, `describes itself as "aws"`, "register it under its own name"}},
		{"another version of the contract, which says enough", map[string]driver.Driver{"aws": dated{right}}, []string{"built for version 99"}},
		{"nothing under a name", map[string]driver.Driver{"gcp": nil}, []string{`driver "gcp"`}},
		{"all that are wrong", map[string]driver.Driver{"aws": misnamed{right, ""}, "gcp": misnamed{right, "azure"}}, []string{`driver "aws"`, `driver "gcp"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := driver.Check(tt.drivers)
			if (err == nil) != (len(tt.want) == 0) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

// scope gives names a second form.
func scope(setting, value, suffix string) func(*driver.Description) {
	return func(d *driver.Description) {
		d.Resources[0].Name.Scope = &driver.NameScope{Setting: setting, Value: value, Suffix: suffix}
	}
}

func TestNameScopeIn(t *testing.T) {
	s := driver.NameScope{Suffix: "-{account}-{location}-an"}
	if got := s.In("123456789012", "eu-central-1"); got != "-123456789012-eu-central-1-an" {
		t.Errorf("got %q", got)
	}
	limited := driver.NameRule{MaxLength: 63, WithAccount: 98, WithAccountRule: "98 together", Scope: &s}
	if limited.In("123456789012").Scope != &s {
		t.Error("the rule for one account has no second form")
	}
}

func TestNameRuleInAccount(t *testing.T) {
	rule := driver.NameRule{MaxLength: 63, WithAccount: 98, WithAccountRule: "98 together"}
	for account, want := range map[driver.AccountID]int{"abcdef": 63, driver.AccountID(strings.Repeat("p", 50)): 47} {
		in := rule.In(account)
		long := strings.Repeat("a", want)
		if in.MaxLength != want || in.Refuses(long) != nil || in.Refuses(long+strings.Repeat("a", 98)) == nil {
			t.Errorf("%s: %+v, want names of %d", account, in, want)
		}
	}
	if in := (driver.NameRule{MaxLength: 63}).In("abcdef"); in.MaxLength != 63 || len(in.Patterns) != 0 {
		t.Errorf("an account that does not matter: %+v", in)
	}
}

// lack describes a Bucket that lacks something; noRow takes the field's row away.
func lack(l driver.Lack, noRow bool) func(*driver.Description) {
	return func(d *driver.Description) {
		r := &d.Resources[0]
		r.Lacks = append(r.Lacks, l)
		if noRow {
			r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(f driver.Field) bool { return f.Field == l.Field })
		}
	}
}

// withoutLack takes what a cloud lacks out of the description of databases.
func withoutLack(d *driver.Description, field string) {
	r := &d.Resources[1]
	r.Lacks = slices.DeleteFunc(slices.Clone(r.Lacks), func(l driver.Lack) bool { return l.Field == field })
}
