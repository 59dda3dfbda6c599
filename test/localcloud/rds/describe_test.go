package rds_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/smithy-go"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// All calls with a list for an answer refuse the same in the same way, also where there is nothing to list. The calls are those of the SDK's
// client, so that a call that is served some day is held to it as well.
func TestDescribeCallsRefuse(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := reflect.ValueOf(sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"))
	ours := map[string]any{"DBParameterGroupName": "default.postgres16", "DBParameterGroupFamily": "postgres16"}
	call := func(name string, in map[string]any) error {
		do := client.MethodByName(name)
		input := reflect.New(do.Type().In(1).Elem())
		for field, value := range in {
			v := input.Elem().FieldByName(field)
			if v.Kind() == reflect.Pointer {
				v.Set(reflect.New(v.Type().Elem()))
				v = v.Elem()
			}
			v.Set(reflect.ValueOf(value))
		}
		err, _ := reflect.TypeAssert[error](do.Call([]reflect.Value{reflect.ValueOf(t.Context()), input})[1])
		return err
	}
	var served int
	for i := range client.NumMethod() {
		name := client.Type().Method(i).Name
		if !strings.HasPrefix(name, "Describe") {
			continue
		}
		input := client.Method(i).Type().In(1).Elem()
		has := func(field string) bool { _, ok := input.FieldByName(field); return ok }
		plain := map[string]any{}
		for field, value := range ours {
			if has(field) && (strings.HasSuffix(name, "Parameters")) {
				plain[field] = value
			}
		}
		var api smithy.APIError
		if err := call(name, plain); err != nil {
			if !errors.As(err, &api) && !strings.Contains(err.Error(), "missing required field") || api != nil && api.ErrorCode() != "NotImplemented" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		served++
		with := func(field string, value any) map[string]any {
			in := map[string]any{field: value}
			for f, v := range plain {
				if f != field {
					in[f] = v
				}
			}
			return in
		}
		for field := range plain {
			sdk.WantCode(t, call(name, with(field, "")), "MissingParameter")
		}
		if has("MaxRecords") {
			sdk.WantCode(t, call(name, with("MaxRecords", int32(19))), "InvalidParameterValue")
			sdk.WantCode(t, call(name, with("MaxRecords", int32(101))), "InvalidParameterValue")
			sdk.WantCode(t, call(name, with("Marker", "another")), "InvalidParameterValue")
		}
		if !has("Filters") {
			continue
		}
		err := call(name, with("Filters", []rdstypes.Filter{{Name: aws.String("color"), Values: []string{"red"}}}))
		if !errors.As(err, &api) || api.ErrorCode() != "InvalidParameterValue" && api.ErrorCode() != "NotImplemented" {
			t.Errorf("%s takes any filter: %v", name, err)
		}
	}
	if served < 11 {
		t.Errorf("%d calls with a list are served", served)
	}
}
