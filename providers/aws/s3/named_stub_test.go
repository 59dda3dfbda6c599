package s3

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// One for which there is no room keeps no other from being set, and whatever ends the calls hides nothing that was refused before.
func TestNamedConfigurationsThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		answers map[string]driver.Code
		set     string
		unset   string
		code    driver.Code
		says    []string
	}{
		"no room for a new one":      {map[string]driver.Code{"b": driver.Quota}, "a c", "b", driver.Quota, []string{`"b"`}},
		"no room, and a refused one": {map[string]driver.Code{"a": driver.Quota, "b": driver.Invalid}, "c", "a b", driver.Quota, []string{`room for "a"`, `correct "b"`}},
		"refused, and then denied":   {map[string]driver.Code{"a": driver.Invalid, "b": driver.Denied}, "", "a b c", driver.Denied, []string{`correct "a"`, "b is denied"}},
		"set, and an answer is lost": {map[string]driver.Code{"b": driver.Unavailable}, "a", "c", driver.Unavailable, []string{"b is denied"}},
	} {
		var set []string
		sort := namedSort[string, string]{field: "aws.sort", name: func(v string) string { return v },
			put: func(_ context.Context, _ aspects, _, v string) error {
				if code, fails := tt.answers[v]; fails {
					return &driver.Error{Code: code, Message: v + " is denied"}
				}
				set = append(set, v)
				return nil
			}}
		err := sort.write(t.Context(), aspects{}, "shop", table.Members[string]{Set: []string{"a", "b", "c"}})
		if got := strings.Join(set, " "); got != tt.set || driver.CodeOf(err) != tt.code {
			t.Errorf("%s: set %q, %v", name, got, err)
		}
		if partly, ok := errors.AsType[*table.Unset](err); !ok || strings.Join(partly.Names, " ") != tt.unset {
			t.Errorf("%s: %+v says what is not set, want %q", name, partly, tt.unset)
		}
		for _, says := range tt.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v does not say %s", name, err, says)
			}
		}
	}
}

// Whatever ends the calls for new configurations, those that are there are set by then.
func TestPresentConfigurationsAreSetFirst(t *testing.T) {
	var set []string
	sort := namedSort[string, string]{field: "aws.sort", want: func(v1alpha1.BucketAWS) []string { return []string{"new-a", "b", "new-c", "d"} }, name: func(v string) string { return v }, change: func(*params) *table.Members[string] {
		return &table.Members[string]{Set: []string{"new-a", "b", "new-c", "d"}}
	}, put: func(_ context.Context, _ aspects, _, v string) error {
		if strings.HasPrefix(v, "new") {
			return &driver.Error{Code: driver.Throttled, Message: "too many calls"}
		}
		set = append(set, v)
		return nil
	}}
	change := driver.Change{Field: "aws.sort", Names: []string{"b", "d", "new-a", "new-c"}, Adds: []string{"new-a", "new-c"}}
	_, err := sort.part(aspects{}).Write(t.Context(), &request{}, nil, &params{}, []driver.Change{change})
	if driver.CodeOf(err) != driver.Throttled || !slices.Equal(set, []string{"b", "d"}) {
		t.Errorf("set %q, %v", set, err)
	}
}

// Pages that come to no end are an error, and not a part of the list.
func TestPagesWithoutEnd(t *testing.T) {
	n := 0
	for name, next := range map[string]func(token *string) *string{
		"an empty token":    func(*string) *string { return more(new(true), nil) },
		"the token again":   func(*string) *string { return more(new(true), new("a")) },
		"ever other ones":   func(*string) *string { n++; return more(new(true), new(strings.Repeat("a", n))) },
		"no more (control)": func(*string) *string { return more(new(false), new("a")) },
	} {
		sort := namedSort[string, string]{field: "aws.sort", from: func(c string) string { return c },
			list: func(_ context.Context, _ aspects, _ string, token *string) ([]string, *string, error) {
				return []string{"one"}, next(token), nil
			}}
		got, err := sort.read(t.Context(), aspects{}, "shop")
		if ends := strings.HasPrefix(name, "no more"); ends != (err == nil) || !ends && driver.CodeOf(err) != driver.Internal || ends && !slices.Equal(got, []string{"one"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
