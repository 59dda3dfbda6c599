package rds

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// TestLogs: a change names the logs whose export begins and those whose export ends. What was asked for already is asked for no more.
func TestLogs(t *testing.T) {
	const field = "aws.cloudwatchLogsExports"
	waits := func(enable, disable []string) *types.PendingModifiedValues {
		return &types.PendingModifiedValues{PendingCloudwatchLogsExports: &types.PendingCloudwatchLogsExports{LogTypesToEnable: enable, LogTypesToDisable: disable}}
	}
	list := func(names ...string) []string { return append([]string{}, names...) }
	for name, tt := range map[string]struct {
		want         []string
		have         instance
		begins, ends []string
		differs      bool
	}{
		"unset":                           {nil, instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error")}}, nil, nil, false},
		"none, and there are none":        {list(), instance{}, nil, nil, false},
		"none":                            {list(), instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error", "general")}}, nil, list("error", "general"), true},
		"another order":                   {list("general", "error"), instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error", "general")}}, nil, nil, false},
		"one more":                        {list("general", "error"), instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error")}}, list("general"), nil, true},
		"another":                         {list("general"), instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error")}}, list("general"), list("error"), true},
		"what begins already":             {list("general"), instance{DBInstance: types.DBInstance{PendingModifiedValues: waits(list("general"), nil)}}, nil, nil, false},
		"what ends already":               {list(), instance{DBInstance: types.DBInstance{EnabledCloudwatchLogsExports: list("error"), PendingModifiedValues: waits(nil, list("error"))}}, nil, nil, false},
		"what begins is not wanted again": {list(), instance{DBInstance: types.DBInstance{PendingModifiedValues: waits(list("general"), nil)}}, nil, list("general"), true},
	} {
		want := databaseSpec{AWS: &v1alpha1.DatabaseAWS{CloudwatchLogsExports: tt.want}}
		changes := rows.Diff(&want, &tt.have, nil, func(name string) bool { return name != field })
		if len(changes) > 0 != tt.differs {
			t.Errorf("%s: changes %v", name, changes)
		}
		if !tt.differs {
			continue
		}
		var params instanceParams
		if err := rows.Patch(&want, &tt.have, changes, &params); err != nil {
			t.Fatal(err)
		}
		in := &rds.ModifyDBInstanceInput{}
		modification.Copy(&params, in)
		completeLogs(in, &tt.have)
		if diff := cmp.Diff(&types.CloudwatchLogsExportConfiguration{EnableLogTypes: tt.begins, DisableLogTypes: tt.ends}, in.CloudwatchLogsExportConfiguration,
			cmpopts.IgnoreUnexported(types.CloudwatchLogsExportConfiguration{})); diff != "" {
			t.Errorf("%s (-want +sent):\n%s", name, diff)
		}
	}
}
