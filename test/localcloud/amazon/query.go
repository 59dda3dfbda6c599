package amazon

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// The AWS Query protocol: a form goes in, XML comes out. Inputs and outputs are the SDK's own structs, whose
// field names are the names on the wire, so the shapes are AWS's and not our idea of them.

// A QueryAction performs one action on the decoded input.
type QueryAction[Q any] func(q Q, form url.Values) (any, error)

// Action makes a QueryAction that takes the named fields of In; a call that sets others is refused, for
// to ignore them would be kinder than the cloud.
func Action[Q, In any](do func(Q, *In) (any, error), takes ...string) QueryAction[Q] {
	return func(q Q, form url.Values) (any, error) {
		in := new(In)
		if err := decodeQuery(form, in); err != nil {
			return nil, err
		}
		v := reflect.ValueOf(in).Elem()
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !v.Field(i).IsZero() && !slices.Contains(takes, name) {
				return nil, Err(http.StatusNotImplemented, "NotImplemented",
					"the local cloud does not implement the parameter "+name+" of "+form.Get("Action"))
			}
		}
		return do(q, in)
	}
}

// A queryNode is a form with its dotted names taken apart: Tags.Tag.1.Key.
type queryNode struct {
	value    string
	set      bool
	children map[string]*queryNode
}

func (n *queryNode) child(name string) *queryNode {
	if n.children == nil {
		n.children = map[string]*queryNode{}
	}
	if n.children[name] == nil {
		n.children[name] = &queryNode{}
	}
	return n.children[name]
}

func decodeQuery(form url.Values, in any) error {
	root := &queryNode{}
	for name, values := range form {
		if name == "Action" || name == "Version" {
			continue
		}
		node := root
		for part := range strings.SplitSeq(name, ".") {
			node = node.child(part)
		}
		node.value, node.set = values[0], true
	}
	return root.fill(reflect.ValueOf(in).Elem(), "")
}

func badParameter(path, why string) *Error {
	return Err(http.StatusBadRequest, "InvalidParameterValue", fmt.Sprintf("Invalid value for parameter %s: %s", path, why))
}

// fill sets v from the node; path is for messages.
func (n *queryNode) fill(v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return n.fill(v.Elem(), path)
	case reflect.Slice:
		return n.fillList(v, path)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return n.fillTime(v, path)
		}
		for name, child := range n.children {
			field := v.FieldByName(name)
			if !field.CanSet() || name == "ResultMetadata" {
				return Err(http.StatusBadRequest, "InvalidParameter", "unknown parameter "+path+name)
			}
			if err := child.fill(field, path+name+"."); err != nil {
				return err
			}
		}
		return nil
	}
	if path = strings.TrimSuffix(path, "."); !n.set || n.children != nil {
		return badParameter(path, "it is not a structure")
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.value)
	case reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(n.value, 10, v.Type().Bits())
		if err != nil {
			return badParameter(path, "not an integer")
		}
		v.SetInt(i)
	case reflect.Bool:
		if n.value != "true" && n.value != "false" {
			return badParameter(path, "not a boolean")
		}
		v.SetBool(n.value == "true")
	default:
		return badParameter(path, "the local cloud can't read it")
	}
	return nil
}

// fillList reads Name.<element>.1, Name.<element>.2 and so on. "Name=" alone is the empty list.
func (n *queryNode) fillList(v reflect.Value, path string) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if len(n.children) == 0 && n.value == "" {
		return nil
	}
	if len(n.children) != 1 {
		return badParameter(strings.TrimSuffix(path, "."), "not a list")
	}
	for element, items := range n.children {
		for i := range len(items.children) {
			item, ok := items.children[strconv.Itoa(i+1)]
			if !ok {
				return badParameter(path+element, "its numbers have gaps")
			}
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if err := item.fill(v.Index(i), fmt.Sprintf("%s%s.%d.", path, element, i+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *queryNode) fillTime(v reflect.Value, path string) error {
	t, err := time.Parse(time.RFC3339, n.value)
	if err != nil {
		return badParameter(path, "not a time")
	}
	v.Set(reflect.ValueOf(t))
	return nil
}

// listElements names the elements of lists that are not called "member".
var listElements = map[string]string{
	"AssociatedRoles":                  "DBInstanceRole",
	"AvailabilityZones":                "AvailabilityZone",
	"DBEngineVersions":                 "DBEngineVersion",
	"AccountQuotas":                    "AccountQuota",
	"DBMajorEngineVersions":            "DBMajorEngineVersion",
	"SupportedEngineLifecycles":        "SupportedEngineLifecycle",
	"DBInstanceAutomatedBackups":       "DBInstanceAutomatedBackup",
	"DBInstances":                      "DBInstance",
	"DBParameterGroups":                "DBParameterGroup",
	"DBSnapshots":                      "DBSnapshot",
	"DomainMemberships":                "DomainMembership",
	"EventCategories":                  "EventCategory",
	"Events":                           "Event",
	"OptionGroupMemberships":           "OptionGroupMembership",
	"Parameters":                       "Parameter",
	"OrderableDBInstanceOptions":       "OrderableDBInstanceOption",
	"ReadReplicaDBInstanceIdentifiers": "ReadReplicaDBInstanceIdentifier",
	"StatusInfos":                      "DBInstanceStatusInfo",
	"Subnets":                          "Subnet",
	"TagList":                          "Tag",
	"ValidUpgradeTarget":               "UpgradeTarget",
	"VpcSecurityGroups":                "VpcSecurityGroupMembership",
}

// encodeQuery writes a field of an output. Nil is left out.
func encodeQuery(out *bytes.Buffer, name string, v reflect.Value) {
	if !v.IsValid() || ((v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice) && v.IsNil()) {
		return
	}
	if v.Kind() == reflect.Pointer {
		encodeQuery(out, name, v.Elem())
		return
	}
	if v.Kind() == reflect.String && v.Type() != reflect.TypeFor[string]() && v.Len() == 0 {
		return // an enumeration that is not set
	}
	fmt.Fprintf(out, "<%s>", name)
	switch at, isTime := reflect.TypeAssert[time.Time](v); {
	case isTime:
		out.WriteString(at.UTC().Format("2006-01-02T15:04:05.000Z"))
	case v.Kind() == reflect.Struct:
		encodeFields(out, v)
	case v.Kind() == reflect.Slice:
		element := listElements[name]
		if element == "" {
			element = "member"
		}
		for i := range v.Len() {
			encodeQuery(out, element, v.Index(i))
		}
	default:
		_ = xml.EscapeText(out, []byte(fmt.Sprint(v.Interface())))
	}
	fmt.Fprintf(out, "</%s>", name)
}

func encodeFields(out *bytes.Buffer, v reflect.Value) {
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() && field.Name != "ResultMetadata" && !field.Anonymous {
			encodeQuery(out, field.Name, v.Field(i))
		}
	}
}

// QueryReply writes the output of an action.
func QueryReply(namespace, action string, output any) cloud.Reply {
	out := bytes.NewBufferString(xml.Header)
	fmt.Fprintf(out, `<%sResponse xmlns=%q><%sResult>`, action, namespace, action)
	if output != nil {
		encodeFields(out, reflect.Indirect(reflect.ValueOf(output)))
	}
	fmt.Fprintf(out, "</%sResult><ResponseMetadata><RequestId>%s</RequestId></ResponseMetadata></%sResponse>", action, cloud.RequestID(), action)
	return cloud.Reply{Status: http.StatusOK, Header: xmlHeader("text/xml"), Body: out.Bytes()}
}

// QueryFailure writes an error.
func QueryFailure(namespace string, e *Error) cloud.Reply {
	type detail struct {
		Type    string
		Code    string
		Message string
	}
	failure := struct {
		XMLName   xml.Name `xml:"ErrorResponse"`
		Namespace string   `xml:"xmlns,attr"`
		Error     detail
		RequestID string `xml:"RequestId"`
	}{Namespace: namespace, Error: detail{"Sender", e.Code, e.Message}, RequestID: cloud.RequestID()}
	if e.Status >= http.StatusInternalServerError {
		failure.Error.Type = "Receiver"
	}
	body, _ := xml.Marshal(failure)
	return cloud.Reply{Status: e.Status, Header: xmlHeader("text/xml"), Body: body, Code: e.Code}
}

// QueryFault says a fault in the dialect of the Query services.
func QueryFault(fault traffic.Fault, conflict string) *Error {
	switch fault.Kind {
	case traffic.Throttled:
		return Err(http.StatusBadRequest, "Throttling", "Rate exceeded")
	case traffic.Denied:
		return Err(http.StatusForbidden, "AccessDenied", "User is not authorized to perform this action")
	case traffic.Conflict:
		return Err(http.StatusBadRequest, conflict, "The resource is not in a state that allows this")
	default:
		return Err(http.StatusInternalServerError, "InternalFailure", "The request processing has failed because of an unknown error, exception or failure.")
	}
}

// PickAction finds the action that a form names.
func PickAction[Q any](actions map[string]QueryAction[Q], form url.Values, version string) (QueryAction[Q], *Error) {
	name := form.Get("Action")
	if name == "" {
		return nil, Err(http.StatusBadRequest, "MissingAction", "The request must contain an action.")
	}
	if form.Get("Version") != version {
		return nil, Err(http.StatusBadRequest, "NoSuchVersion", "The requested version is not supported: "+form.Get("Version"))
	}
	do, ok := actions[name]
	if !ok {
		return nil, Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+name)
	}
	return do, nil
}

// LastOfARN returns what an ARN names, or the name itself if it is none.
func LastOfARN(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }

// xmlHeader returns the header of an answer in XML.
func xmlHeader(contentType string) http.Header {
	return http.Header{"Content-Type": {contentType}, "X-Amzn-Requestid": {cloud.RequestID()}, "Server": {"mooring-localcloud"}}
}
