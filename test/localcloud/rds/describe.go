package rds

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// describes are the calls that answer with a list. A new one is a row, and the function that returns what exists. No
// recording shows a list by a filter, nor the refusal of one: the reference has the names of filters.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Operations.html
var describes = []interface {
	action() (name string, do amazon.QueryAction[*call])
}{
	describe[rds.DescribeDBInstancesInput, rds.DescribeDBInstancesOutput, rdstypes.DBInstance]{
		all: (*call).shownInstances, order: "DBInstanceIdentifier", named: "DBInstanceIdentifier", one: (*call).namedInstance,
		filters: fieldsOf{
			"db-instance-id": {"DBInstanceIdentifier", "DBInstanceArn"}, "dbi-resource-id": {"DbiResourceId"}, "engine": {"Engine"},
			"db-cluster-id": nil, "domain": nil, // of an instance here neither is set
		},
	},
	describe[rds.DescribeDBSnapshotsInput, rds.DescribeDBSnapshotsOutput, rdstypes.DBSnapshot]{
		all: (*call).shownSnapshots, order: "DBSnapshotIdentifier",
		by: []choice{
			{parameter: "DBSnapshotIdentifier", of: snapshotResource, missing: snapshotResource},
			{parameter: "DBInstanceIdentifier", of: instanceResource}, {parameter: "DbiResourceId"}, {parameter: "SnapshotType"},
		},
	},
	describe[
		rds.DescribeDBInstanceAutomatedBackupsInput, rds.DescribeDBInstanceAutomatedBackupsOutput,
		rdstypes.DBInstanceAutomatedBackup]{
		all: (*call).shownBackups, order: "DbiResourceId",
		by: []choice{
			{parameter: "DBInstanceIdentifier", anyCase: true, missing: backupResource},
			{parameter: "DbiResourceId", anyCase: true, missing: backupResource},
			{parameter: "DBInstanceAutomatedBackupsArn", missing: backupResource},
		},
		filters: fieldsOf{
			"status": {"Status"}, "db-instance-id": {"DBInstanceIdentifier", "DBInstanceArn"},
			"dbi-resource-id": {"DbiResourceId", "DBInstanceAutomatedBackupsArn"},
		},
	},
	describe[rds.DescribeBlueGreenDeploymentsInput, rds.DescribeBlueGreenDeploymentsOutput, rdstypes.BlueGreenDeployment]{
		all: (*call).shownDeployments, order: "BlueGreenDeploymentIdentifier",
		named: "BlueGreenDeploymentIdentifier", one: (*call).namedDeployment,
		filters: fieldsOf{ // sources and targets are ARNs
			"blue-green-deployment-identifier": {"BlueGreenDeploymentIdentifier"},
			"blue-green-deployment-name":       {"BlueGreenDeploymentName"},
			"source":                           {"Source"}, "target": {"Target"},
		},
	},
	describe[rds.DescribeDBParameterGroupsInput, rds.DescribeDBParameterGroupsOutput, rdstypes.DBParameterGroup]{
		all: (*call).shownGroups, order: "DBParameterGroupName", named: "DBParameterGroupName", one: (*call).namedGroup,
	},
	describe[rds.DescribeDBParametersInput, rds.DescribeDBParametersOutput, rdstypes.Parameter]{
		needs: "DBParameterGroupName", all: (*call).groupParameters, by: []choice{{parameter: "Source"}},
	},
	describe[rds.DescribeEngineDefaultParametersInput, rds.DescribeEngineDefaultParametersOutput, rdstypes.Parameter]{
		needs: "DBParameterGroupFamily", all: catalog(defaultParameters), answer: defaultsAnswer,
	},
	describe[rds.DescribeEventsInput, rds.DescribeEventsOutput, rdstypes.Event]{
		check: checkEvents, all: (*call).shownEvents, takes: []string{"Duration"},
		by: []choice{{parameter: "SourceIdentifier"}, {parameter: "SourceType"}, {parameter: "EventCategories"}},
	},
	describe[rds.DescribeAccountAttributesInput, rds.DescribeAccountAttributesOutput, rdstypes.AccountQuota]{
		all: (*call).shownQuotas,
	},
	describe[rds.DescribeDBMajorEngineVersionsInput, rds.DescribeDBMajorEngineVersionsOutput, rdstypes.DBMajorEngineVersion]{
		check: checkMajorVersions, all: catalog(majorVersions),
		by: []choice{{parameter: "Engine"}, {parameter: "MajorEngineVersion"}},
	},
	describe[rds.DescribeDBEngineVersionsInput, rds.DescribeDBEngineVersionsOutput, rdstypes.DBEngineVersion]{
		all: catalog(engineVersions), takes: []string{"DefaultOnly"},
		by: []choice{
			{parameter: "Engine"}, {parameter: "DBParameterGroupFamily"},
			{parameter: "EngineVersion", fields: []string{"EngineVersion", "MajorEngineVersion"}},
		},
	},
}

func init() {
	for _, d := range describes {
		name, do := d.action()
		rdsActions[name] = do
	}
}

// A describe is a call with a list of Items for an answer. Its texts name parameters of In and fields of Item, which
// are the SDK's. Where In has MaxRecords, the answer comes in pages. A call that sets a parameter that its row does not
// name is refused.
type describe[In, Out, Item any] struct {
	needs string // the parameter without which the call is refused
	takes []string
	// check refuses values before RDS looks for anything.
	check func(in *In) error
	all   func(c *call, in *In) ([]Item, error)
	order string // the field that orders the list; empty where all does
	// one is the entry that the parameter named names, for calls that find it otherwise than in the list.
	named string
	one   func(c *call, name string) (Item, error)
	by    []choice
	// filters are the fields that each filter compares; an entry passes one with any of its values.
	filters fieldsOf
	// answer is for an Out that has not both Marker and the list, or the list alone.
	answer func(in *In, page []Item, marker *string) *Out
}

type fieldsOf map[string][]string

// A choice is a parameter that chooses entries: those with its value, or with one of its values, in the field of its
// name.
type choice struct {
	parameter string
	fields    []string // in place of the field of the parameter's name
	anyCase   bool     // whatever the case of letters
	of        resource // an identifier of such a resource, or its ARN
	missing   resource // what does not exist where no entry has the value; none: the list is empty
}

// catalog lists what is the same for everybody.
func catalog[In, Item any](all func(in *In) ([]Item, error)) func(*call, *In) ([]Item, error) {
	return func(_ *call, in *In) ([]Item, error) { return all(in) }
}

func (d describe[In, Out, Item]) action() (name string, do amazon.QueryAction[*call]) {
	takes := slices.Concat(d.takes, []string{d.needs, d.named})
	for i, by := range d.by {
		takes = append(takes, by.parameter)
		if by.fields == nil {
			d.by[i].fields = []string{by.parameter}
		}
		mustHave[Item](d.by[i].fields)
	}
	for _, fields := range d.filters {
		mustHave[Item](fields)
	}
	if d.order != "" {
		mustHave[Item]([]string{d.order})
	}
	if d.filters != nil {
		takes = append(takes, "Filters")
	}
	if d.paged() {
		takes = append(takes, "Marker", "MaxRecords")
	}
	takes = slices.DeleteFunc(takes, func(name string) bool { return name == "" })
	mustHave[In](takes)
	return strings.TrimSuffix(reflect.TypeFor[In]().Name(), "Input"), amazon.Action(d.do, takes...)
}

func (describe[In, Out, Item]) paged() bool {
	_, paged := reflect.TypeFor[In]().FieldByName("MaxRecords")
	return paged
}

// mustHave panics at the start of the program if a row names a field that T does not have.
func mustHave[T any](fields []string) {
	for _, name := range fields {
		if _, ok := reflect.TypeFor[T]().FieldByName(name); !ok {
			panic(reflect.TypeFor[T]().Name() + " has no field " + name)
		}
	}
}

func (d describe[In, Out, Item]) do(c *call, in *In) (any, error) {
	if d.needs != "" && strings.Join(texts(in, d.needs), "") == "" {
		return nil, missingParameter(d.needs)
	}
	if d.check != nil {
		if err := d.check(in); err != nil {
			return nil, err
		}
	}
	entries, err := d.entries(c, in)
	if err != nil {
		return nil, err
	}
	if d.order != "" {
		slices.SortFunc(entries, func(a, b Item) int { return slices.Compare(texts(&a, d.order), texts(&b, d.order)) })
	}
	if !d.paged() {
		return d.out(in, entries, nil), nil
	}
	asked := reflect.ValueOf(in).Elem()
	marker, _ := reflect.TypeAssert[*string](asked.FieldByName("Marker"))
	most, _ := reflect.TypeAssert[*int32](asked.FieldByName("MaxRecords"))
	page, next, err := paginate(entries, marker, most, c.cloud.PageOfAtMost)
	return d.out(in, page, next), err
}

// entries are those that a call asks for.
func (d describe[In, Out, Item]) entries(c *call, in *In) ([]Item, error) {
	var filters []rdstypes.Filter
	if d.filters != nil {
		filters, _ = reflect.TypeAssert[[]rdstypes.Filter](reflect.ValueOf(in).Elem().FieldByName("Filters"))
	}
	for _, filter := range filters {
		if _, known := d.filters[aws.ToString(filter.Name)]; !known {
			return nil, invalidValue("Unrecognized filter name: %s", aws.ToString(filter.Name))
		}
	}
	entries, err := d.found(c, in)
	if err != nil {
		return nil, err
	}
	for _, by := range d.by {
		entries = slices.DeleteFunc(entries, func(one Item) bool { return !by.chooses(c, texts(in, by.parameter), &one) })
	}
	for _, filter := range filters {
		entries = slices.DeleteFunc(entries, func(one Item) bool {
			have := texts(&one, d.filters[aws.ToString(filter.Name)]...)
			return !slices.ContainsFunc(filter.Values, func(v string) bool { return slices.Contains(have, v) })
		})
	}
	for _, by := range d.by {
		if asked := texts(in, by.parameter); len(entries) == 0 && asked != nil && by.missing != (resource{}) {
			return nil, by.missing.missing(asked[0])
		}
	}
	return entries, nil
}

// found are the entry that a call names, or all.
func (d describe[In, Out, Item]) found(c *call, in *In) ([]Item, error) {
	if d.one == nil {
		return d.all(c, in)
	}
	name := texts(in, d.named)
	if name == nil {
		return d.all(c, in)
	}
	one, err := d.one(c, name[0])
	return []Item{one}, err
}

// chooses reports whether an entry has a value that is asked for, or nothing is asked for.
func (by choice) chooses(c *call, asked []string, entry any) bool {
	have := texts(entry, by.fields...)
	return asked == nil || slices.ContainsFunc(asked, func(value string) bool {
		return slices.Contains(have, value) ||
			by.anyCase && slices.ContainsFunc(have, func(one string) bool { return strings.EqualFold(one, value) }) ||
			by.of != (resource{}) && slices.Contains(have, c.ownKey(value, by.of).name)
	})
}

// texts are the values of fields that hold a text or several; nil if none is set. of points to a struct.
func texts(of any, fields ...string) (all []string) {
	for _, name := range fields {
		v := reflect.Indirect(reflect.ValueOf(of).Elem().FieldByName(name))
		switch {
		case !v.IsValid():
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				all = append(all, v.Index(i).String())
			}
		case v.Type() == reflect.TypeFor[string]() || v.Len() > 0: // an enumeration that is empty is not set
			all = append(all, v.String())
		}
	}
	return all
}

// out is the answer with a page.
func (d describe[In, Out, Item]) out(in *In, page []Item, marker *string) *Out {
	if d.answer != nil {
		return d.answer(in, page, marker)
	}
	out := new(Out)
	for _, v := range reflect.ValueOf(out).Elem().Fields() {
		if v.CanSet() && v.Type() == reflect.TypeFor[[]Item]() {
			v.Set(reflect.ValueOf(page))
		}
	}
	if v := reflect.ValueOf(out).Elem().FieldByName("Marker"); v.IsValid() {
		v.Set(reflect.ValueOf(marker))
	}
	return out
}

// missingParameter is the refusal of a call without a parameter that it needs.
func missingParameter(name string) *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "MissingParameter", "The request must contain the parameter "+name)
}

// paginate cuts a page out of a list.
func paginate[T any](all []T, marker *string, maxRecords *int32, atMost func(int) int) (page []T, next *string, err error) {
	limit := 100
	if maxRecords != nil {
		limit = int(*maxRecords)
	}
	if limit < 20 || limit > 100 {
		return nil, nil, invalidValue("Invalid value %d for MaxRecords. Must be between 20 and 100", limit)
	}
	start := 0
	if marker != nil {
		at, ours := cloud.ReadPageToken(*marker)
		if start, err = strconv.Atoi(at); err != nil || !ours || start < 0 || start > len(all) {
			return nil, nil, invalidValue("The request token is not valid: Marker")
		}
	}
	end := min(start+atMost(limit), len(all))
	if end < len(all) {
		next = aws.String(cloud.PageToken(strconv.Itoa(end)))
	}
	return append([]T{}, all[start:end]...), next, nil
}
