package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	smithymiddleware "github.com/aws/smithy-go/middleware"
)

// The recordings of RDS hold answers as the Python SDK shows them: names and values, without the XML around them. Here they
// become the documents of the Query protocol again.

const rdsNamespace = "http://rds.amazonaws.com/doc/2014-10-31/"

// rdsElements names the elements of lists that are not called "member". AWS's service model has the names.
var rdsElements = map[string]string{
	"AssociatedRoles": "DBInstanceRole", "AttributeValues": "AttributeValue", "AvailabilityZones": "AvailabilityZone", "DBClusterMembers": "DBClusterMember",
	"DBClusterOptionGroupMemberships": "DBClusterOptionGroup", "DBClusterParameterGroups": "DBClusterParameterGroup",
	"DBClusterSnapshotAttributes": "DBClusterSnapshotAttribute", "DBClusterSnapshots": "DBClusterSnapshot", "DBClusters": "DBCluster",
	"DBEngineVersions": "DBEngineVersion", "DBInstanceAutomatedBackupsReplications": "DBInstanceAutomatedBackupsReplication", "DBInstances": "DBInstance",
	"DBParameterGroups": "DBParameterGroup", "DBSecurityGroupMemberships": "DBSecurityGroup", "DBSecurityGroups": "DBSecurityGroup",
	"DBShardGroups": "DBShardGroup", "DBSnapshotAttributes": "DBSnapshotAttribute", "DBSnapshots": "DBSnapshot", "DBSubnetGroups": "DBSubnetGroup",
	"DomainMemberships": "DomainMembership", "EventSubscriptionsList": "EventSubscription", "OptionGroupMemberships": "OptionGroupMembership",
	"OptionGroupsList": "OptionGroup", "OptionSettings": "OptionSetting", "Options": "Option", "Parameters": "Parameter",
	"ProcessorFeatures": "ProcessorFeature", "ReadReplicaDBClusterIdentifiers": "ReadReplicaDBClusterIdentifier",
	"ReadReplicaDBInstanceIdentifiers": "ReadReplicaDBInstanceIdentifier", "ReadReplicaIdentifiers": "ReadReplicaIdentifier",
	"RecurringCharges": "RecurringCharge", "ReservedDBInstances": "ReservedDBInstance", "StatusInfos": "DBInstanceStatusInfo", "Subnets": "Subnet",
	"TagList": "Tag", "ValidUpgradeTarget": "UpgradeTarget", "VpcSecurityGroupMemberships": "VpcSecurityGroupMembership",
	"VpcSecurityGroups": "VpcSecurityGroupMembership",
}

// queryXML writes a recorded value as the element of a name. Lists have an element for each entry.
func queryXML(out *bytes.Buffer, name string, value any, elements map[string]string) {
	if value == nil {
		return
	}
	fmt.Fprintf(out, "<%s>", name)
	switch value := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(value)) {
			queryXML(out, k, value[k], elements)
		}
	case []any:
		element := elements[name]
		if element == "" {
			element = "member"
		}
		for _, entry := range value {
			queryXML(out, element, entry, elements)
		}
	case float64:
		number, _ := json.Marshal(value) // no exponent, as %v would write one
		out.Write(number)
	default:
		_ = xml.EscapeText(out, fmt.Append(nil, value))
	}
	fmt.Fprintf(out, "</%s>", name)
}

// An rdsAnswer is one recorded answer of RDS. What was asked is not recorded.
type rdsAnswer struct {
	Call     string
	N        int
	Status   int
	Response map[string]any
}

// document returns the answer as RDS sends it.
func (a *rdsAnswer) document() []byte {
	out := bytes.NewBufferString(xml.Header)
	if failure, ok := a.Response["Error"]; ok {
		fmt.Fprintf(out, "<ErrorResponse xmlns=%q>", rdsNamespace)
		queryXML(out, "Error", failure, nil)
		out.WriteString("<RequestId>recorded</RequestId></ErrorResponse>")
		return out.Bytes()
	}
	fmt.Fprintf(out, "<%sResponse xmlns=%q>", a.Call, rdsNamespace)
	queryXML(out, a.Call+"Result", a.Response, rdsElements)
	fmt.Fprintf(out, "<ResponseMetadata><RequestId>recorded</RequestId></ResponseMetadata></%sResponse>", a.Call)
	return out.Bytes()
}

// decode makes the recorded call with the SDK, and returns what the SDK understood. The parameters are left out, as they are not
// recorded, so their check is left out too.
func (a *rdsAnswer) decode(t *testing.T, endpoint string) (any, error) {
	t.Helper()
	client := rds.New(rds.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, Retryer: awssdk.NopRetryer{}, HTTPClient: readOnlyBodies,
		Credentials: credentials.NewStaticCredentialsProvider("AKIARECORDED", "recorded", ""),
		APIOptions:  []func(*smithymiddleware.Stack) error{unchecked},
	})
	method := reflect.ValueOf(client).MethodByName(a.Call)
	if !method.IsValid() {
		t.Fatalf("the SDK has no call %s", a.Call)
	}
	input := reflect.New(method.Type().In(1).Elem())
	results := method.Call([]reflect.Value{reflect.ValueOf(context.Context(t.Context())), input})
	err, _ := reflect.TypeAssert[error](results[1])
	if err != nil {
		return nil, err
	}
	return plainJSON(t, results[0].Interface()), nil
}

// readOnlyBodies is a client that loses no large answers, as the driver's own: the SDK closes the bodies of requests too early.
var readOnlyBodies = &http.Client{Transport: readOnly{}}

type readOnly struct{}

// RoundTrip implements http.RoundTripper.
func (readOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// plainJSON returns a value of the SDK as JSON is decoded, without what is not set.
func plainJSON(t *testing.T, value any) any {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	if object, ok := out.(map[string]any); ok {
		delete(object, "ResultMetadata")
	}
	return withoutUnset(out)
}

// withoutUnset drops null and empty text: in structures of the SDK either stands for a value that is not set.
func withoutUnset(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			if v != nil && v != "" {
				out[k] = withoutUnset(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = withoutUnset(v)
		}
		return out
	}
	return value
}
