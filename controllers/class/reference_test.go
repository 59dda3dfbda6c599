package class

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// What an object names in a field that refers to other cloud objects has to be what its class names, or what the class allows.
func TestReferences(t *testing.T) {
	const field = "aws.caCertificateIdentifier" // any field: Case says that it refers to something
	bare := `spec: {sizes: null, defaultSize: ""`
	for _, tt := range []struct {
		name, class, spec string
		change            func(*Input)
		problems          []string
		kept              bool
	}{
		{name: "nothing", class: bare + `}`, spec: `{}`},
		{name: "an empty name is none", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":""}}`},
		{name: "what nobody gives", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			problems: []string{`spec.aws.caCertificateIdentifier: class "standard" does not allow role "a", nor any other; remove the field`}},
		{name: "the default", class: bare + `, defaults: {aws: {caCertificateIdentifier: a}}}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`},
		{name: "the default, which the spec leaves out", class: bare + `, defaults: {aws: {caCertificateIdentifier: a}}}`, spec: `{}`},
		{name: "another than the default", class: bare + `, defaults: {aws: {caCertificateIdentifier: a}}}`, spec: `{"aws":{"caCertificateIdentifier":"b"}}`,
			problems: []string{`class "standard" does not allow role "b", only "a"; set one of these`}},
		{name: "what is enforced", class: bare + `, enforced: {aws: {caCertificateIdentifier: a}}}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`},
		{name: "another than is enforced: that is said already", class: bare + `, enforced: {aws: {caCertificateIdentifier: a}}}`, spec: `{"aws":{"caCertificateIdentifier":"b"}}`,
			problems: []string{"enforces a, not b"}},
		{name: "by the size", class: `spec: {sizes: [{name: small, aws: {instanceClass: db.t4g.small, caCertificateIdentifier: a}}]}`, spec: `{}`},
		{name: "what matches", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "team-[ab]"}]}`, spec: `{"aws":{"caCertificateIdentifier":"team-a"}}`},
		{name: "of which the beginning matches", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "team-[ab]"}]}`, spec: `{"aws":{"caCertificateIdentifier":"team-ab"}}`,
			problems: []string{`only what matches "team-[ab]"`}},
		{name: "of which the end matches", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "team-a"}]}`, spec: `{"aws":{"caCertificateIdentifier":"not-team-a"}}`,
			problems: []string{`only what matches "team-a"`}},
		{name: "of which one line matches", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "(?m)^team-a$"}]}`, spec: `{"aws":{"caCertificateIdentifier":"team-a\nb"}}`,
			problems: []string{"does not allow"}},
		{name: "of which an alternative matches a part", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "a|abc"}]}`, spec: `{"aws":{"caCertificateIdentifier":"ab"}}`,
			problems: []string{"does not allow"}},
		{name: "the longer alternative", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "a|abc"}]}`, spec: `{"aws":{"caCertificateIdentifier":"abc"}}`},
		{name: "a pattern that would close a group", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "a)|(.*"}]}`, spec: `{"aws":{"caCertificateIdentifier":"b"}}`,
			problems: []string{`spec.aws.caCertificateIdentifier: class "standard" does not allow role "b", because its spec.allowedReferences[0].pattern can't be read: error parsing regexp`}},
		{name: "a pattern behind one that can't be read", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "("}, {field: spec.aws.caCertificateIdentifier, pattern: b}]}`, spec: `{"aws":{"caCertificateIdentifier":"b"}}`},
		{name: "there already, by a pattern that can't be read", class: bare + `, allowedReferences: [{field: spec.aws.caCertificateIdentifier, pattern: "("}]}`, spec: `{"aws":{"caCertificateIdentifier":"b"}}`,
			change:   func(o *Input) { bound(o); o.Kept = []string{field} },
			problems: []string{`spec.aws.caCertificateIdentifier: class "standard" does not allow role "b"`}, kept: true},
		{name: "a pattern for another field", class: bare + `, allowedReferences: [{field: spec.engine, pattern: ".*"}]}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			problems: []string{"nor any other"}},
		{name: "there already", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`, change: bound, problems: []string{"does not allow"}},
		{name: "there already, from before there was a rule", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change:   func(o *Input) { bound(o); o.Kept = []string{field} },
			problems: []string{"does not allow"}, kept: true},
		{name: "only observed, in a field from before there was a rule", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change:   func(o *Input) { o.Observed, o.Kept = true, []string{field} },
			problems: []string{"does not allow"}, kept: true},
		{name: "only observed, in any other field", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change: func(o *Input) { o.Observed = true }, problems: []string{"does not allow"}},
		{name: "new, in a field from before there was a rule", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change: func(o *Input) { o.Kept = []string{field} }, problems: []string{"does not allow"}},
		{name: "left behind by its class", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change:   func(o *Input) { bound(o); o.Leads = "gcp" },
			problems: []string{"does not allow"}, kept: true},
		{name: "a value for the class alone, left behind by it", class: bare + `}`, spec: `{"aws":{"caCertificateIdentifier":"a"}}`,
			change: func(o *Input) {
				bound(o)
				o.Leads, o.References = "gcp", References{field: {Reserved: &driver.Reserved{Field: field, Value: "a", Does: "it opens all"}}}
			},
			problems: []string{"does not set a, and nobody else may"}},
		{name: "what nobody takes back, and no class sets", class: bare + `}`, spec: lockedFor, change: locks, problems: []string{"does not set Allowed, and nobody else may"}},
		{name: "what the class sets, for as long", class: bare + `,"defaults":{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":30}}}}`, spec: lockedFor, change: locks},
		{name: "what the class sets, for longer", class: bare + `,"defaults":{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":29}}}}`, spec: lockedFor, change: locks, problems: []string{"30 is more than the 29"}},
		{name: "for longer, under the class's lock", class: bare + `,"defaults":{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":29}}}}`, spec: `{"aws":{"performanceInsights":{"retentionDays":30}}}`, change: locks, problems: []string{"30 is more than the 29"}},
		{name: "for longer, and not locked", class: bare + `,"defaults":{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":29}}}}`, spec: `{"network":{"publicAccess":"Blocked"},"aws":{"performanceInsights":{"retentionDays":30}}}`, change: locks},
		{name: "for longer, in what has more already", class: bare + `,"defaults":{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":29}}}}`, spec: lockedFor, kept: true,
			change: func(o *Input) { locks(o); bound(o) }, problems: []string{"30 is more than the 29"}},
		{name: "locked before there was a rule", class: bare + `}`, spec: lockedFor, kept: true,
			change: func(o *Input) { locks(o); bound(o) }, problems: []string{"does not set Allowed", "an object keeps what it has"}},
		{name: "locked before there was a rule, and left behind", class: bare + `}`, spec: lockedFor, kept: true,
			change: func(o *Input) { locks(o); bound(o); o.Leads = "gcp" }, problems: []string{"does not set Allowed", "an object keeps what it has"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Input{
				Spec: tree(t, tt.spec), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
				References: References{field: {Sort: driver.ReferenceRole}},
			}
			if tt.change != nil {
				tt.change(&o)
			}
			got := Evaluate(classOf(t, catalogue, tt.class), o, nil).Problems
			if len(got) != len(tt.problems) {
				t.Fatalf("problems %q, want %q", got, tt.problems)
			}
			for i, want := range tt.problems {
				if !strings.Contains(got[i].String(), want) || got[i].Kept != tt.kept {
					t.Errorf("problem %q, kept %v; want %q, %v", got[i], got[i].Kept, want, tt.kept)
				}
			}
			if refused := Join(got) != nil; refused != (len(got) > 0 && !tt.kept && !got[0].Overruled) {
				t.Errorf("it is refused: %v", refused)
			}
		})
	}
}

// lockedFor is what locks makes the class's alone to allow.
const lockedFor = `{"network":{"publicAccess":"Allowed"},"aws":{"performanceInsights":{"retentionDays":30}}}`

func locks(o *Input) {
	o.References = References{"network.publicAccess": {Reserved: &driver.Reserved{Field: "network.publicAccess", Value: "Allowed", Most: "aws.performanceInsights.retentionDays", Does: "nobody takes it back"}}}
	o.Kept = []string{"network.publicAccess", "aws.performanceInsights.retentionDays"}
}

func bound(o *Input) { o.Bound, o.Joined = true, true }

// Whom a statement or binding lets in has to be of the class's giving, however it is written. A statement that denies lets nobody in.
func TestReferencesOfAPolicy(t *testing.T) {
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: "", allowedReferences: [{field: spec.aws.policy, pattern: "arn:aws:iam::1+:.*"}, {field: spec.aws.policy, pattern: "cdn[.]example[.]com"}]}`)
	class.Defaults["aws"] = Tree{"policy": []any{Tree{"sid": "given", "effect": "Allow", "principals": Tree{"aws": []any{"arn:given"}}}}}
	for name, tt := range map[string]struct {
		entry   Tree
		refused []string
	}{
		"allowed":                   {Tree{"effect": "Allow", "principals": Tree{"aws": []any{"arn:aws:iam::11:root"}, "service": []any{"cdn.example.com"}}}, nil},
		"given by the class":        {Tree{"effect": "Allow", "principals": Tree{"aws": []any{"arn:given"}}}, []string{`"arn:given"`}},
		"everybody":                 {Tree{"effect": "Allow", "principals": Tree{"aws": []any{"*"}}}, []string{`"*"`}},
		"another account":           {Tree{"effect": "Allow", "principals": Tree{"aws": []any{"arn:aws:iam::11:root", "222222222222"}}}, []string{`"222222222222"`}},
		"another service":           {Tree{"effect": "Allow", "principals": Tree{"service": []any{"other.example.com"}}}, []string{`"other.example.com"`}},
		"by an effect there is not": {Tree{"effect": "deny", "principals": Tree{"aws": []any{"*"}}}, []string{`"*"`}},
		"a denial":                  {Tree{"effect": "Deny", "principals": Tree{"aws": []any{"*"}}}, nil},
		"members of a binding":      {Tree{"role": "r", "members": []any{"allUsers", "arn:aws:iam::1:root"}}, []string{`"allUsers"`}},
	} {
		o := Input{
			Spec: Tree{"aws": Tree{"policy": []any{tt.entry}}}, Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
			References: References{"aws.policy": {Sort: driver.ReferencePrincipal}},
		}
		got := Evaluate(class, o, nil).Problems
		if len(got) != len(tt.refused) {
			t.Errorf("%s: problems %q, want %q", name, got, tt.refused)
			continue
		}
		for i, want := range tt.refused {
			if !strings.Contains(got[i].String(), "principal "+want) {
				t.Errorf("%s: problem %q lacks %s", name, got[i], want)
			}
		}
	}
}

// Of each entry of a list that names several objects, each is judged by the path that is its own: what one may name the other may not.
func TestReferencesOfEachEntry(t *testing.T) {
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: "", allowedReferences: [{field: spec.aws.copies, pattern: "shop-.*"}, {field: spec.aws.copies.key, pattern: "key-.*"}]}`)
	class.Defaults["aws"] = Tree{"copies": []any{Tree{"bucket": "given", "key": "given-key"}}}
	for name, tt := range map[string]struct {
		entry   Tree
		refused []string
	}{
		"allowed":            {Tree{"bucket": "shop-a", "key": "key-a"}, nil},
		"without the second": {Tree{"bucket": "shop-a"}, nil},
		"of the class":       {Tree{"bucket": "given", "key": "given-key"}, nil},
		"as the other":       {Tree{"bucket": "key-a", "key": "shop-a"}, []string{`spec.aws.copies: class "standard" does not allow bucket "key-a"`, `spec.aws.copies.key: class "standard" does not allow encryption key "shop-a"`}},
		"crossed":            {Tree{"bucket": "given-key", "key": "given"}, []string{`bucket "given-key"`, `encryption key "given"`}},
	} {
		o := Input{
			Spec: Tree{"aws": Tree{"copies": []any{tt.entry}}}, Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
			References: References{"aws.copies": {Sort: driver.ReferenceBucket, In: "bucket"}, "aws.copies.key": {Sort: driver.ReferenceKey, At: "aws.copies", In: "key"}},
		}
		got := Evaluate(class, o, nil).Problems
		if len(got) != len(tt.refused) {
			t.Errorf("%s: problems %q, want %q", name, got, tt.refused)
			continue
		}
		for i, want := range tt.refused {
			if !strings.Contains(got[i].String(), want) {
				t.Errorf("%s: problem %q, want %s", name, got[i], want)
			}
		}
	}
}

// Each entry of a list is judged by itself, in any order. An empty list names nothing.
func TestReferencesOfAList(t *testing.T) {
	gives := []any{"sg-1", "sg-2"}
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: "", allowedReferences: [{field: spec.aws.groups, pattern: "sg-9.*"}]}`)
	class.Defaults["aws"] = Tree{"groups": gives}
	for name, tt := range map[string]struct {
		asked   []any
		refused []string
	}{
		"all of the class's":   {gives, nil},
		"another order":        {[]any{"sg-2", "sg-1"}, nil},
		"one of them":          {[]any{"sg-2"}, nil},
		"none":                 {[]any{}, nil},
		"one that matches":     {[]any{"sg-1", "sg-99"}, nil},
		"one that nobody gave": {[]any{"sg-1", "sg-3"}, []string{`"sg-3"`}},
		"two that nobody gave": {[]any{"sg-3", "sg-1", "sg-4"}, []string{`"sg-3"`, `"sg-4"`}},
	} {
		o := Input{
			Spec: Tree{"aws": Tree{"groups": tt.asked}}, Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
			References: References{"aws.groups": {Sort: driver.ReferenceSecurityGroup}},
		}
		got := Evaluate(class, o, nil).Problems
		if len(got) != len(tt.refused) {
			t.Errorf("%s: problems %q", name, got)
			continue
		}
		for i, want := range tt.refused {
			if !strings.Contains(got[i].Message, "security group "+want) {
				t.Errorf("%s: problem %q, want %s", name, got[i], want)
			}
		}
	}
}

// Objects of a list that name objects of two sorts are judged by both, wherever in them the names are, and each by the patterns of its own path.
func TestReferencesOfTwoSorts(t *testing.T) {
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: "", allowedReferences: [{field: spec.aws.lists, pattern: "reports-[^:]*"}]}`)
	class.Defaults["aws"] = Tree{"lists": []any{Tree{"to": Tree{"bucket": "given", "key": Tree{"arn": "arn:given"}}}}}
	for name, tt := range map[string]struct {
		entry   Tree
		refused []string
	}{
		"both allowed":         {Tree{"to": Tree{"bucket": "reports-1", "key": Tree{"arn": "arn:given"}}}, nil},
		"without a key":        {Tree{"to": Tree{"bucket": "reports-1"}}, nil},
		"another key":          {Tree{"to": Tree{"bucket": "given", "key": Tree{"arn": "arn:other"}}}, []string{`encryption key "arn:other"`}},
		"another bucket":       {Tree{"to": Tree{"bucket": "other", "key": Tree{"arn": "arn:given"}}}, []string{`bucket "other"`}},
		"a key as a bucket is": {Tree{"to": Tree{"bucket": "arn:given"}}, []string{`bucket "arn:given"`}},
		"neither":              {Tree{"to": Tree{"bucket": "other", "key": Tree{"arn": "arn:other"}}}, []string{`bucket "other"`, `encryption key "arn:other"`}},
	} {
		o := Input{
			Spec: Tree{"aws": Tree{"lists": []any{tt.entry}}}, Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws",
			References: References{"aws.lists": {Sort: driver.ReferenceBucket, In: "to.bucket"}, "aws.lists.to.key.arn": {Sort: driver.ReferenceKey, At: "aws.lists", In: "to.key.arn"}},
		}
		got := Evaluate(class, o, nil).Problems
		if len(got) != len(tt.refused) {
			t.Errorf("%s: problems %q", name, got)
			continue
		}
		for i, want := range tt.refused {
			if !strings.Contains(got[i].Message, want) {
				t.Errorf("%s: problem %q, want %s", name, got[i], want)
			}
		}
	}
}

// The order of the names in a list means nothing: not against what the class enforces, and not where a class changes.
func TestOrderOfAList(t *testing.T) {
	class := classOf(t, catalogue, `spec: {sizes: null, defaultSize: ""}`)
	class.Enforced["aws"] = Tree{"groups": []any{"sg-1", "sg-2"}}
	for name, tt := range map[string]struct {
		asked    []any
		problems int
	}{
		"as it is enforced": {[]any{"sg-1", "sg-2"}, 0},
		"another order":     {[]any{"sg-2", "sg-1"}, 0},
		"one of them":       {[]any{"sg-1"}, 1},
		"one twice":         {[]any{"sg-1", "sg-1"}, 1},
	} {
		spec := Tree{"aws": Tree{"groups": tt.asked}}
		if got := contradictions(class, Input{Spec: spec}); len(got) != tt.problems {
			t.Errorf("%s: problems %q", name, got)
		}
		i := impact{touched: map[touch]int{}}
		if i.add(class.Enforced, Merge(class.Enforced, spec), nil); i.objects != tt.problems {
			t.Errorf("%s: %v change", name, i.touched)
		}
	}
}

// bucketReferences are those of buckets in a cloud that has them all.
var bucketReferences = []string{
	"aws.analytics", "aws.inventory", "aws.inventory.destination.encryption.keyARN", "aws.notifications.functions", "aws.notifications.queues", "aws.notifications.topics", "aws.policy", "aws.replication.role", "aws.replication.rules",
	"aws.replication.rules.encryptionKey", "encryption.key", "gcp.iamBindings", "gcp.ipFilter.networks", "gcp.notifications",
	"logging.bucket",
}

// The references of a cloud that nobody knows are those of all clouds.
func TestReferencesOf(t *testing.T) {
	of := ReferencesOf("Bucket", map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver(), "gcp": without{mem.New(mem.Options{}).Driver()}})
	for cloud, want := range map[string][]string{
		"aws": bucketReferences, "gcp": nil, "": bucketReferences, "later": bucketReferences,
	} {
		if got := slices.Sorted(maps.Keys(of(cloud))); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", cloud, got, want)
		}
	}
}

// without is a cloud of which no field refers to anything.
type without struct{ driver.Driver }

func (d without) Describe() driver.Description {
	description := d.Driver.Describe()
	for _, r := range description.Resources {
		for i := range r.Fields {
			r.Fields[i].Refers = ""
		}
	}
	return description
}

// A class that allows what can't be allowed is refused, and says so in its status where it is stored already.
func TestCheckOfAllowedReferences(t *testing.T) {
	rules := Rules{Kind: kind.Bucket(), References: ReferencesOf("Bucket", map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver(), "gcp": without{mem.New(mem.Options{}).Driver()}})}
	for name, tt := range map[string]struct {
		allowed     v1alpha1.AllowedReference
		cloud, want string
	}{
		"as it should be":          {v1alpha1.AllowedReference{Field: "spec.encryption.key", Pattern: "alias/.*"}, "aws", ""},
		"a further field of each":  {v1alpha1.AllowedReference{Field: "spec.aws.replication.rules.encryptionKey", Pattern: ".*"}, "aws", ""},
		"a field of each, bare":    {v1alpha1.AllowedReference{Field: "aws.replication.rules.encryptionKey", Pattern: ".*"}, "aws", `there is no field "aws.replication.rules.encryptionKey"`},
		"no name of each":          {v1alpha1.AllowedReference{Field: "spec.aws.replication.rules.accountID", Pattern: ".*"}, "aws", `there is no field "spec.aws.replication.rules.accountID"`},
		"a cloud that may come":    {v1alpha1.AllowedReference{Field: "spec.encryption.key", Pattern: "alias/.*"}, "", ""},
		"another cloud":            {v1alpha1.AllowedReference{Field: "spec.encryption.key", Pattern: "alias/.*"}, "gcp", "spec.allowedReferences[0].field: spec.encryption.key names no other cloud object"},
		"no pattern":               {v1alpha1.AllowedReference{Field: "spec.encryption.key", Pattern: "alias/("}, "aws", "spec.allowedReferences[0].pattern: error parsing regexp"},
		"no field":                 {v1alpha1.AllowedReference{Field: "spec.encryption.keys", Pattern: ".*"}, "aws", `spec.allowedReferences[0].field: there is no field "spec.encryption.keys"`},
		"a field that is no name":  {v1alpha1.AllowedReference{Field: "spec.location", Pattern: ".*"}, "aws", "The fields that do are: spec.aws.analytics, spec.aws.inventory, spec.aws.inventory.destination.encryption.keyARN, spec.aws.notifications.functions, spec.aws.notifications.queues, spec.aws.notifications.topics, spec.aws.policy, spec.aws.replication.role, spec.aws.replication.rules, spec.aws.replication.rules.encryptionKey, spec.encryption.key, spec.gcp.iamBindings, spec.gcp.ipFilter.networks, spec.gcp.notifications"},
		"a part of the real field": {v1alpha1.AllowedReference{Field: "spec.encryption", Pattern: ".*"}, "aws", "spec.encryption names no other cloud object"},
	} {
		object := &v1alpha1.BucketClass{}
		object.Spec.AllowedReferences = []v1alpha1.AllowedReference{tt.allowed}
		c, err := Of(object)
		if err != nil {
			t.Fatal(err)
		}
		switch p := rules.Check(c, tt.cloud); {
		case tt.want == "" && p != nil:
			t.Errorf("%s: %s", name, p)
		case tt.want != "" && (p == nil || !strings.Contains(p.String(), tt.want) || p.Reason != v1alpha1.ReasonClassInvalid):
			t.Errorf("%s: problem %v, want %q", name, p, tt.want)
		}
	}
}

// An object whose class no longer allows what it names is left as it is: only what is new is refused at admission.
func TestAdmissionOfReferences(t *testing.T) {
	c := cluster(t, `spec: {sizes: null, defaultSize: ""}`)
	references := func(string) References {
		return References{"aws.caCertificateIdentifier": {Sort: driver.ReferenceRole}}
	}
	a := &Admission{
		Resolver: &Resolver{Kind: kind.Database(), Client: c, Rules: func(*Class) []Rule { return nil }, References: references}, Live: c, MayUse: allUse,
	}
	named := func(name string, direct bool) *v1alpha1.Database {
		d := &v1alpha1.Database{}
		d.Namespace, d.Name, d.Spec.ClassName = "shop", "orders", "standard"
		if direct {
			d.Spec.ClassName, d.Spec.ProviderConfigRef = "", &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "aws"}
		}
		d.Spec.AWS = &v1alpha1.DatabaseAWS{CACertificateIdentifier: new(name)}
		return d
	}
	own := named("a", true)
	own.Spec.ProviderConfigRef.Kind = "ProviderConfig"
	for name, tt := range map[string]struct {
		old, object *v1alpha1.Database
		refused     bool
	}{
		"a new object":                   {nil, named("a", false), true},
		"as it is":                       {named("a", false), named("a", false), false},
		"another name":                   {named("a", false), named("b", false), true},
		"without a class":                {nil, named("a", true), true},
		"without a class, as it is":      {named("a", true), named("a", true), false},
		"through the team's own account": {nil, own, false},
	} {
		var old v1alpha1.ResourceObject
		if tt.old != nil {
			old = tt.old
		}
		refusals, warnings, err := a.Object(t.Context(), old, tt.object)
		if err != nil || len(refusals) > 0 != tt.refused || len(warnings) > 0 != (tt.old != nil && !tt.refused) {
			t.Errorf("%s: refusals %q, warnings %q, %v", name, refusals, warnings, err)
		}
	}
}

// Without a class nothing can allow a reference, and where the cloud is not known none is allowed either.
func TestDirect(t *testing.T) {
	c := cluster(t, "")
	references := ReferencesOf("Bucket", map[string]driver.Driver{"aws": mem.New(mem.Options{}).Driver()})
	b := &v1alpha1.Bucket{}
	b.Spec.Encryption = &v1alpha1.Encryption{Key: new("alias/shop")}
	for _, config := range []string{"aws", "later", "absent"} {
		for _, bound := range []bool{false, true} {
			b.Status.ExternalName = map[bool]string{true: "photos"}[bound]
			got, err := (&Resolver{Kind: kind.Bucket(), Client: c, References: references}).ReferencesWithoutClass(t.Context(), b, config)
			if err != nil || len(got) != 1 || got[0].Kept != bound || got[0].Reason != v1alpha1.ReasonProviderConfigNotAllowed || got[0].Field != "spec.encryption.key" {
				t.Errorf("through %s, bound %v: problems %q, %v", config, bound, got, err)
			}
		}
	}
	b.Spec.Encryption = &v1alpha1.Encryption{}
	if got, err := (&Resolver{Kind: kind.Bucket(), Client: c, References: references}).ReferencesWithoutClass(t.Context(), b, "aws"); err != nil || len(got) != 0 {
		t.Errorf("without a key: problems %q, %v", got, err)
	}
}

// A problem that does not tell of which field the cloud object is to keep what it has keeps nothing: it refuses all.
func TestTogetherOfKept(t *testing.T) {
	for field, refused := range map[string]bool{"": true, "spec.encryption.key": false} {
		if p := Join([]Problem{{Reason: v1alpha1.ReasonClassInvalid, Field: field, Kept: true}}); p != nil != refused {
			t.Errorf("of field %q: %v", field, p)
		}
	}
}
