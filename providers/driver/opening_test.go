package driver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

func TestOneBase(t *testing.T) {
	web := v1alpha1.IdentityChain{WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: "shop"}}
	token := func(context.Context, string) (string, error) { return "", nil }
	for name, tc := range map[string]struct {
		cfg driver.Opening
		ok  bool
	}{
		"credentials":             {driver.Opening{Credentials: driver.Credentials{}}, true},
		"ambient":                 {driver.Opening{Config: driver.Config{Ambient: true}}, true},
		"web identity":            {driver.Opening{Config: driver.Config{Chain: web}, Host: driver.HostFuncs{Tokens: token}}, true},
		"web, without tokens":     {driver.Opening{Config: driver.Config{Chain: web}}, false},
		"nothing":                 {driver.Opening{Host: driver.HostFuncs{Tokens: token}}, false},
		"ambient and credentials": {driver.Opening{Config: driver.Config{Ambient: true}, Credentials: driver.Credentials{}}, false},
		"ambient and web":         {driver.Opening{Config: driver.Config{Ambient: true, Chain: web}, Host: driver.HostFuncs{Tokens: token}}, false},
		"all":                     {driver.Opening{Config: driver.Config{Ambient: true, Chain: web}, Credentials: driver.Credentials{}, Host: driver.HostFuncs{Tokens: token}}, false},
	} {
		err := tc.cfg.OneBase()
		if (err == nil) != tc.ok || err != nil && driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWebToken(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want driver.Code
	}{
		"denied":           {&driver.Error{Code: driver.Denied, Op: "token"}, driver.Denied},
		"denied, wrapped":  {fmt.Errorf("x: %w", &driver.Error{Code: driver.Denied, Op: "token"}), driver.Denied},
		"throttled":        {&driver.Error{Code: driver.Throttled, Op: "token"}, driver.Throttled},
		"not there":        {&driver.Error{Code: driver.NotFound, Op: "token"}, driver.Denied},
		"an unknown error": {errors.New("connection reset"), driver.Unavailable},
	} {
		cfg := driver.Opening{
			Config: driver.Config{Chain: v1alpha1.IdentityChain{WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: "shop"}}},
			Host:   driver.HostFuncs{Tokens: func(context.Context, string) (string, error) { return "canary", tc.err }},
		}
		token, err := cfg.WebToken(t.Context(), "an audience")
		if token != "" || err == nil || driver.CodeOf(err) != tc.want {
			t.Errorf("%s: got %q, %v, want code %v", name, token, err, tc.want)
		}
	}
}
