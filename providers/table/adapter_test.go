package table_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A spec, an object and parameters of a cloud that the test makes up.
type (
	spec struct {
		Location *string           `json:"location,omitempty"`
		Size     *int32            `json:"size,omitempty"`
		Class    *string           `json:"class,omitempty"`
		Key      *string           `json:"key,omitempty"`
		Tags     map[string]string `json:"tags,omitempty"`
	}
	object struct {
		location, class, key string
		size                 int32
		labels               map[string]string
		aspect               *string
	}
	params struct {
		Size       *int32
		Class, Key *string
		Tags       table.Delta
	}
	createCall struct {
		Size       int32
		Class, Key *string
		Labels     map[string]string
	}
	modifyCall struct {
		Size            int32
		Class           *string
		ForceSendFields []string
	}
)

func rows() table.Table[spec, object, params] {
	return table.Table[spec, object, params]{
		table.Field("location", func(s *spec) *string { return s.Location }, func(o *object) *string { return &o.location }, func(*params, string) {}).
			Immutable("make another one"),
		table.Field("size", func(s *spec) *int32 { return s.Size }, func(o *object) *int32 { return &o.size }, func(p *params, v int32) { p.Size = &v }),
		table.Field("class", func(s *spec) *string { return s.Class }, func(o *object) *string { return &o.class }, func(p *params, v string) { p.Class = &v }),
		table.Field("key", func(s *spec) *string { return s.Key }, func(o *object) *string { return o.aspect }, func(p *params, v string) { p.Key = &v }).Secret(),
		table.Entries("tags", func(s *spec) map[string]string { return s.Tags }, func(o *object) map[string]string { return driver.WithoutMark(o.labels) },
			func(p *params, d table.Delta) { p.Tags = d }),
	}
}

var (
	creation = table.Copier[params, createCall]{
		Call:  "CreateObject",
		Lacks: map[string]string{"Key": "it follows"},
		Converts: map[string]func(*params, *createCall){
			"Tags": func(p *params, c *createCall) { c.Labels = p.Tags.Set },
		},
	}
	modification = table.Copier[params, modifyCall]{
		Call: "ModifyObject", Lacks: map[string]string{"Key": "PutKey takes it", "Tags": "PutTags takes them"},
	}
)

// A fake is a cloud with one object.
type fake struct {
	there  *object
	calls  []string
	refuse func(call string) error // why a call fails
	begins string                  // the operation that ModifyObject starts
}

func (f *fake) call(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	f.calls = append(f.calls, text)
	if f.refuse == nil {
		return nil
	}
	return f.refuse(text)
}

type adapter = table.Adapter[spec, object, params]

func (f *fake) adapter() *adapter {
	return &adapter{
		Table: rows(), Noun: "object", ReadCall: "GetObject", Region: "here", Fixed: true,
		Read: func(context.Context, *table.Request[spec], *driver.Observation) (*object, error) {
			err := f.call("GetObject")
			if f.there == nil || err != nil {
				return nil, err
			}
			seen := *f.there
			return &seen, nil
		},
		State: func(_ *table.Request[spec], have *object, o *driver.Observation) {
			o.State, o.ID, o.Location, o.Mark = driver.Ready, "id-1", have.location, driver.MarkFrom(have.labels)
		},
		Tags: func(p *params) *table.Delta { return &p.Tags },
		Make: func(_ context.Context, req *table.Request[spec], p *params) (driver.Result, error) {
			var in createCall
			creation.Copy(p, &in)
			f.there = &object{location: "here", size: in.Size, labels: in.Labels}
			return driver.Result{ID: "id-1"}, f.call("CreateObject")
		},
		Taken: creation, Unsent: map[string]string{"location": "the connection is to one region"},
		New: &object{aspect: new("")},
		Parts: []table.Part[spec, object, params]{
			{Fields: []string{"tags"}, Taken: table.Names{"Tags"}, Write: func(_ context.Context, _ *table.Request[spec], _ *object, p *params, _ []driver.Change) (string, error) {
				return "", f.call("PutTags %v %v", p.Tags.Set, p.Tags.Remove)
			}},
			{
				Taken: modification,
				Refuses: func(err error) bool {
					code := driver.CodeOf(err)
					return code == driver.Invalid || code == driver.Denied
				},
				Write: func(_ context.Context, _ *table.Request[spec], _ *object, p *params, changes []driver.Change) (string, error) {
					var in modifyCall
					modification.Copy(p, &in)
					err := f.call("ModifyObject %s", strings.Join(driver.Names(changes), " "))
					if err != nil {
						return "", err
					}
					return f.begins, nil
				},
			},
			{
				Fields: []string{"key"}, Taken: table.Names{"Key"}, Blind: true,
				Read: func(_ context.Context, _ *table.Request[spec], into *object) error {
					if err := f.call("GetKey"); err != nil {
						return err // nothing was read
					}
					into.aspect = &into.key
					return nil
				},
				Write: func(_ context.Context, _ *table.Request[spec], _ *object, p *params, _ []driver.Change) (string, error) {
					return "", f.call("PutKey %s", *p.Key)
				},
			},
		},
		Remove: func(context.Context, *table.Request[spec]) (driver.Result, error) {
			return driver.Result{}, f.call("DeleteObject")
		},
	}
}

func request() table.Request[spec] {
	r := table.Request[spec]{Request: driver.Request{Name: "a", Location: "here", Mark: driver.Mark{Cluster: "c", UID: "u"}}}
	r.Spec = spec{Location: new("here"), Size: new(int32(5)), Class: new("small"), Key: new("hush-hush"), Tags: map[string]string{"team": "shop"}}
	return r
}

// failing is an error of the fake for every call that contains a text.
func failing(code driver.Code, texts ...string) func(string) error {
	return func(call string) error {
		for _, text := range texts {
			if strings.Contains(call, text) {
				return &driver.Error{Code: code, Op: strings.Fields(call)[0], Message: "no: " + call}
			}
		}
		return nil
	}
}

func names(failed []driver.FieldError) map[string]driver.Code {
	out := map[string]driver.Code{}
	for _, f := range failed {
		out[f.Field] = driver.CodeOf(f.Err)
	}
	return out
}

func TestObserve(t *testing.T) {
	there := object{location: "here", class: "small", size: 4, key: "hush-hush"}
	tests := []struct {
		name       string
		there      *object
		deletion   bool
		refuse     func(string) error
		changes    []string
		applied    []string
		unreadable map[string]driver.Code
		calls      []string
	}{
		{name: "absent: all is announced", applied: []string{"class", "key", "location", "size", "tags"}, calls: []string{"GetObject"}},
		{name: "differences", there: &there, changes: []string{"size", "tags"}, applied: []string{"class", "key", "location", "tags"}, calls: []string{"GetObject", "GetKey"}},
		{name: "what can't be read does not differ", there: &there, refuse: failing(driver.Denied, "GetKey"), changes: []string{"size", "tags"},
			applied: []string{"class", "location", "tags"}, unreadable: map[string]driver.Code{"key": driver.Denied}, calls: []string{"GetObject", "GetKey"}},
		{name: "a deletion reads no part", there: &there, deletion: true, changes: []string{"size", "tags"}, calls: []string{"GetObject"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{there: tc.there, refuse: tc.refuse}
			req := request()
			if tc.deletion {
				req.Deletion = &driver.Deletion{}
			}
			o, err := f.adapter().Observe(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got := []any{driver.Names(o.Changes), sortedKeys(o.Applied), names(o.Unreadable), f.calls}
			want := []any{append([]string{}, tc.changes...), tc.applied, names(nil), tc.calls}
			if tc.unreadable != nil {
				want[2] = tc.unreadable
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changes, applied, unreadable, calls (-want +got):\n%s", diff)
			}
		})
	}
}

// Fields that the cloud may have kept back are unreadable, and all else is compared. Nobody asks for them unless the spec declares one, or for an object that goes.
func TestHidden(t *testing.T) {
	for name, tc := range map[string]struct {
		edit   func(*table.Request[spec])
		asked  bool
		hidden error
	}{
		"hidden":        {func(*table.Request[spec]) {}, true, &driver.Error{Code: driver.Denied}},
		"shown":         {func(*table.Request[spec]) {}, true, nil},
		"not declared":  {func(r *table.Request[spec]) { r.Spec.Key = nil }, false, &driver.Error{Code: driver.Denied}},
		"to be deleted": {func(r *table.Request[spec]) { r.Deletion = &driver.Deletion{} }, false, &driver.Error{Code: driver.Denied}},
	} {
		f := &fake{there: &object{location: "here", aspect: new("other")}}
		a := f.adapter()
		asked := false
		a.Parts[2].Read = nil
		a.Parts[2].Hidden = func(context.Context, *table.Request[spec], *object) error {
			asked = true
			return tc.hidden
		}
		req := request()
		tc.edit(&req)
		o, err := a.Observe(t.Context(), req)
		if err != nil || asked != tc.asked {
			t.Errorf("%s: %v, asked %t, want %t", name, err, asked, tc.asked)
		}
		want, changed := map[string]driver.Code{}, req.Spec.Key != nil
		if asked && tc.hidden != nil {
			want, changed = map[string]driver.Code{"key": driver.Denied}, false
		}
		if diff := cmp.Diff(want, names(o.Unreadable)); diff != "" {
			t.Errorf("%s: unreadable (-want +got):\n%s", name, diff)
		}
		if got := driver.Names(o.Changes); slices.Contains(got, "key") != changed || !slices.Contains(got, "size") {
			t.Errorf("%s: changes %v", name, got)
		}
	}
}

func TestUpdate(t *testing.T) {
	change := func(names ...string) (changes []driver.Change) {
		for _, name := range names {
			c := driver.Change{Field: name, Effect: driver.Online}
			if name == "location" {
				c.Effect, c.Why = driver.Impossible, "make another one"
			}
			changes = append(changes, c)
		}
		return changes
	}
	const tagsOf = "PutTags map[team:shop] []"
	all := change("size", "class", "key", "tags")
	tests := []struct {
		name    string
		changes []driver.Change
		// password is the change of the password, whose failure is under that name.
		password driver.PasswordChange
		refuse   func(string) error
		edit     func(*adapter, *fake)
		failed   map[string]driver.Code
		err      error
		calls    []string
	}{
		{name: "a call for each part", changes: all, calls: []string{"GetObject", tagsOf, "ModifyObject size class", "PutKey hush-hush"}},
		{name: "the mark is written by a command alone", changes: change(driver.FieldMark), failed: map[string]driver.Code{driver.FieldMark: driver.Invalid}},
		{name: "what is impossible fails, and no call is made", changes: change("location"), failed: map[string]driver.Code{"location": driver.Invalid}},
		{name: "no call is made for a password that is not there", password: driver.SetPassword, failed: map[string]driver.Code{"set": driver.Invalid}},
		{name: "an unknown change of the password is not made, and keeps no other away", changes: change("size"), password: "forget",
			edit: func(a *adapter, _ *fake) {
				a.Login = func(context.Context, *table.Request[spec], *object, *driver.Observation) error { return nil }
			},
			failed: map[string]driver.Code{"forget": driver.Invalid}, calls: []string{"GetObject", "ModifyObject size"}},
		{name: "a refused value keeps no other away", changes: change("size", "class"), refuse: failing(driver.Invalid, "class"),
			failed: map[string]driver.Code{"class": driver.Invalid}, calls: []string{"GetObject", "ModifyObject size class", "ModifyObject size", "ModifyObject class"}},
		{name: "after a part of several calls each is tried on what is there by then", changes: change("size", "class"), refuse: failing(driver.Invalid, "class"),
			edit:   func(a *adapter, _ *fake) { a.Parts[1].Steps = true },
			failed: map[string]driver.Code{"class": driver.Invalid},
			calls:  []string{"GetObject", "ModifyObject size class", "GetObject", "ModifyObject size", "GetObject", "ModifyObject class"}},
		{name: "an error about no value is not tried alone", changes: change("size", "class"), refuse: failing(driver.Busy, "class"),
			failed: map[string]driver.Code{"size": driver.Busy, "class": driver.Busy}, calls: []string{"GetObject", "ModifyObject size class"}},
		{name: "once an error is about no value, the others are not tried", changes: change("size", "class"), password: driver.SetPassword,
			edit: func(_ *adapter, f *fake) {
				f.refuse = func(string) error {
					code := map[int]driver.Code{2: driver.Invalid, 3: driver.Throttled}[len(f.calls)]
					if code == driver.Internal {
						return nil
					}
					return &driver.Error{Code: code}
				}
			},
			failed: map[string]driver.Code{"size": driver.Throttled, "class": driver.Throttled, "set": driver.Invalid},
			calls:  []string{"GetObject", "ModifyObject size class", "ModifyObject size"}},
		{name: "a part that fails keeps no other away", changes: all, refuse: failing(driver.Throttled, "PutTags"),
			failed: map[string]driver.Code{"tags": driver.Throttled},
			calls:  []string{"GetObject", tagsOf, "ModifyObject size class", "PutKey hush-hush"}},
		{name: "an error of the whole ends it", changes: all, refuse: failing(driver.Throttled, "ModifyObject"),
			edit: func(a *adapter, _ *fake) {
				a.Whole = func(err error) bool { return driver.CodeOf(err) == driver.Throttled }
			},
			err: &driver.Error{Code: driver.Throttled}, calls: []string{"GetObject", tagsOf, "ModifyObject size class"}},
		{name: "all refused, and not for their values", changes: change("size", "class"), refuse: failing(driver.Denied, "ModifyObject"),
			edit: func(a *adapter, _ *fake) {
				a.Whole = func(err error) bool { return driver.CodeOf(err) == driver.Denied }
			},
			err: &driver.Error{Code: driver.Denied}, calls: []string{"GetObject", "ModifyObject size class", "ModifyObject size", "ModifyObject class"}},
		{name: "one operation at a time", changes: all,
			edit: func(a *adapter, f *fake) {
				a.OneOperation, f.begins = &driver.Error{Code: driver.Busy, Message: "this is next"}, "operation-1"
			},
			failed: map[string]driver.Code{"key": driver.Busy}, calls: []string{"GetObject", tagsOf, "ModifyObject size class"}},
		{name: "a guarded write follows a read of its own", changes: change("tags", "size"), edit: func(a *adapter, _ *fake) { a.Guarded = true },
			calls: []string{"GetObject", "PutTags map[team:shop] []", "GetObject", "ModifyObject size"}},
		{name: "it is gone", changes: change("size"), edit: func(_ *adapter, f *fake) { f.there = nil }, err: &driver.Error{Code: driver.NotFound}, calls: []string{"GetObject"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{there: &object{location: "here"}, refuse: tc.refuse}
			a := f.adapter()
			if tc.edit != nil {
				tc.edit(a, f)
			}
			result, err := a.Update(t.Context(), request(), driver.Edit{Changes: tc.changes, Password: tc.password})
			if (err != nil) != (tc.err != nil) || err != nil && driver.CodeOf(err) != driver.CodeOf(tc.err) {
				t.Errorf("got error %v, want %v", err, tc.err)
			}
			if tc.failed == nil {
				tc.failed = map[string]driver.Code{}
			}
			failed := names(result.Failed)
			if result.PasswordFailed != nil {
				failed[string(tc.password)] = result.PasswordFailed.Code
			}
			if diff := cmp.Diff([]any{tc.failed, tc.calls}, []any{failed, f.calls}); diff != "" {
				t.Errorf("failed and calls (-want +got):\n%s", diff)
			}
		})
	}
}

// The mark goes where the tags go, and the tags stay as they are.
func TestWriteMark(t *testing.T) {
	const put = "PutTags map[mooring-cluster:c mooring-name: mooring-namespace: mooring-uid:u] [mooring-released]"
	for name, tt := range map[string]struct {
		refuse func(string) error
		failed map[string]driver.Code
	}{
		"written": {failed: map[string]driver.Code{}},
		"refused": {refuse: failing(driver.Throttled, "PutTags"), failed: map[string]driver.Code{driver.FieldMark: driver.Throttled}},
	} {
		f := &fake{there: &object{location: "here"}, refuse: tt.refuse}
		result, err := f.adapter().Do(t.Context(), request(), driver.Command{Verb: driver.WriteMark})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]any{tt.failed, []string{"GetObject", put}}, []any{names(result.Failed), f.calls}); diff != "" {
			t.Errorf("%s: failed and calls (-want +got):\n%s", name, diff)
		}
	}
}

// An action of which the adapter says nothing is none that the object can have: the cloud is not asked for it.
func TestActionThatTheAdapterDoesNotKnow(t *testing.T) {
	f := &fake{there: &object{location: "here"}}
	a := f.adapter()
	a.Actions = func(*table.Request[spec], *object, *driver.Observation) map[driver.Action]driver.ActionState {
		return map[driver.Action]driver.ActionState{driver.Restart: {}}
	}
	a.Act = func(_ context.Context, _ *table.Request[spec], _ *object, action driver.Action) (string, error) {
		return "", f.call("Act %s", action)
	}
	for verb, want := range map[driver.Verb]driver.Code{driver.Restart: 0, driver.Failover: driver.Unsupported} {
		_, err := a.Do(t.Context(), request(), driver.Command{Verb: verb})
		if err == nil != (want == 0) || err != nil && driver.CodeOf(err) != want {
			t.Errorf("%s: got %v", verb, err)
		}
	}
	if slices.Contains(f.calls, "Act failover") || !slices.Contains(f.calls, "Act restart") {
		t.Errorf("calls %q", f.calls)
	}
}

func TestAnotherObjectIsNotChanged(t *testing.T) {
	f := &fake{there: &object{location: "here"}}
	req := request()
	req.ID = "id-0"
	if _, err := f.adapter().Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "size"}}}); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("got %v, want a conflict", err)
	}
	if diff := cmp.Diff([]string{"GetObject"}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// A call that others have to make way for comes after theirs, and in its place where nothing stands in its way.
func TestLastCall(t *testing.T) {
	for value, want := range map[string][]string{"late": {"ModifyObject", "PutKey"}, "soon": {"PutKey", "ModifyObject"}} {
		f := &fake{there: &object{location: "here"}}
		a := f.adapter()
		a.Parts[1], a.Parts[2] = a.Parts[2], a.Parts[1]
		a.Parts[1].Last = func(changes []driver.Change) bool { return changes[0].To == "late" }
		if _, err := a.Update(t.Context(), request(), driver.Edit{Changes: []driver.Change{{Field: "key", To: value}, {Field: "size"}}}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, call := range f.calls {
			if name, _, _ := strings.Cut(call, " "); name != "GetObject" {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

// A last call is not made if one before it failed, which may stand in its way.
func TestLastCallAfterAFailure(t *testing.T) {
	f := &fake{there: &object{location: "here"}}
	a := f.adapter()
	a.Parts[2].Last = func([]driver.Change) bool { return true }
	a.Parts[1].Write = func(context.Context, *table.Request[spec], *object, *params, []driver.Change) (string, error) {
		return "", &driver.Error{Code: driver.Denied, Message: "no"}
	}
	result, err := a.Update(t.Context(), request(), driver.Edit{Changes: []driver.Change{{Field: "size"}, {Field: "key"}}})
	if err != nil || len(result.Failed) != 2 || result.Failed[1].Field != "key" || driver.CodeOf(result.Failed[1].Err) != driver.Denied || !strings.Contains(result.Failed[1].Err.Error(), "spec.size failed") {
		t.Errorf("%v, failed %v; want the key to wait for the size", err, result.Failed)
	}
	if slices.ContainsFunc(f.calls, func(call string) bool { return strings.HasPrefix(call, "PutKey") }) {
		t.Errorf("calls %q, want none of the key", f.calls)
	}
}

func TestCreate(t *testing.T) {
	t.Run("with a part that is read by itself", func(t *testing.T) { created(t, func(*adapter) {}) })
	t.Run("with a part that is read with the object", func(t *testing.T) {
		created(t, func(a *adapter) { a.Parts[2].Read, a.Parts[2].Follows = nil, true })
	})
}

func created(t *testing.T, edit func(*adapter)) {
	t.Helper()
	f := &fake{}
	a := f.adapter()
	edit(a)
	result, err := a.Create(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"key"}, driver.Names(result.Sent)); diff != "" {
		t.Errorf("sent by calls of their own (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"CreateObject", "PutKey hush-hush"}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if f.there.size != 5 || driver.MarkFrom(f.there.labels) != request().Mark || f.there.labels["team"] != "shop" {
		t.Errorf("made %+v, want the size, the tag and the mark of the request", f.there)
	}
}

func TestWhatTheCloudLacksIsNotCreated(t *testing.T) {
	for match, refused := range map[string]bool{"": true, "^5$": true, "^6$": false} {
		f := &fake{}
		a := f.adapter()
		a.Lacks = []driver.Lack{{Field: "size", Match: match, Values: "5", Why: "it has none", Instead: "set class"}}
		_, err := a.Create(t.Context(), request())
		if (driver.CodeOf(err) == driver.Invalid && err != nil) != refused || refused && (!strings.Contains(err.Error(), "size: ") || len(f.calls) > 0) {
			t.Errorf("%q: error %v after %v, want refused %v", match, err, f.calls, refused)
		}
	}
}

// A map with entries that the cloud does not have is not sent, neither at creation nor later; all of them are named, and other fields change.
func TestEntriesThatTheCloudLacksAreNotSent(t *testing.T) {
	f := &fake{there: &object{location: "here", size: 4}}
	a, req := f.adapter(), request()
	a.Lacks = []driver.Lack{
		{Field: "tags", Each: driver.EntryKey, Match: "[A-Z]", Values: "a key in upper case", Why: "it has labels", Instead: "use others"},
		{Field: "tags", Each: driver.EntryValue, Match: " ", Values: "a value with a space", Why: "it has labels", Instead: "use others"},
	}
	req.Spec.Tags = map[string]string{"CostCenter": "Team Shop", "team": "a"}
	names := []string{`the key "CostCenter"`, `the value "Team Shop" of the key "CostCenter"`}
	_, err := a.Create(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !namesAll(err, names) || len(f.calls) > 0 {
		t.Errorf("creation: error %v after %v, want both named", err, f.calls)
	}
	result, err := a.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "tags"}, {Field: "size"}}})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "tags" || !namesAll(result.Failed[0].Err, names) {
		t.Errorf("update: %+v, %v, want the tags refused", result, err)
	}
	if diff := cmp.Diff([]string{"GetObject", "ModifyObject size"}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func namesAll(err error, names []string) bool {
	return err != nil && !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(err.Error(), n) })
}

func TestOtherRegionsAreRefused(t *testing.T) {
	f := &fake{}
	req := request()
	req.Location = "there"
	_, observed := f.adapter().Observe(t.Context(), req)
	_, created := f.adapter().Create(t.Context(), req)
	_, updated := f.adapter().Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "size"}}})
	_, deleted := f.adapter().Delete(t.Context(), req)
	for _, err := range []error{observed, created, updated, deleted} {
		if driver.CodeOf(err) != driver.Invalid || err == nil {
			t.Errorf("got %v, want Invalid", err)
		}
	}
	if len(f.calls) > 0 {
		t.Errorf("calls %v, want none", f.calls)
	}
}

// Should a cloud repeat a secret in its answer, nobody sees it.
func TestErrorsShowNoSecret(t *testing.T) {
	repeating := func(call string) error {
		message := "hush-hush and Canary-77 are not good: " + call
		if call == "GetObject" {
			return nil
		}
		return &driver.Error{Code: driver.Invalid, Message: message, Err: errors.New(message)}
	}
	f := &fake{there: &object{location: "here"}, refuse: repeating}
	req := request()
	req.Login.Password = "Canary-77"
	_, err := f.adapter().Create(t.Context(), req)
	result, _ := f.adapter().Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "key"}, {Field: "size"}, {Field: "class"}}})
	errs := []error{err}
	for _, failed := range result.Failed {
		errs = append(errs, failed.Err)
	}
	if len(errs) != 4 {
		t.Fatalf("got %v, want four errors", errs)
	}
	for _, err := range errs {
		if text := fmt.Sprintf("%v %v", err, errors.Unwrap(err)); strings.Contains(text, "hush") || strings.Contains(text, "Canary") {
			t.Errorf("%q shows a secret", text)
		}
		if driver.CodeOf(err) != driver.Invalid {
			t.Errorf("got code %v", driver.CodeOf(err))
		}
	}
}
