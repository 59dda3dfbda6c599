package amazon

import (
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// The protocol Smithy RPC v2 with CBOR: maps go in and out, whose keys are the names of the SDK's own structs, as in the Query protocol (aws_query.go).
// https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html

// DecodeCBOR sets v, a field of an input, to a value; path is for messages.
func DecodeCBOR(value cbor.Value, v reflect.Value, path string) error {
	refuse := func(err error) error {
		if err != nil {
			return Err(http.StatusBadRequest, "SerializationException", path+": "+err.Error())
		}
		return nil
	}
	if _, isTime := reflect.TypeAssert[time.Time](v); isTime {
		tag, tagged := value.(*cbor.Tag)
		if !tagged || tag.ID != 1 { // "epoch-seconds ... tagged with 1"
			return refuse(fmt.Errorf("a timestamp has the tag 1, and this is %T", value))
		}
		at, err := cbor.AsTime(value)
		v.Set(reflect.ValueOf(at))
		return refuse(err)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return DecodeCBOR(value, v.Elem(), path)
	case reflect.Slice:
		return decodeCBORList(value, v, path)
	case reflect.Struct:
		return decodeCBORMap(value, v, path)
	case reflect.String:
		text, ok := value.(cbor.String)
		if !ok {
			return refuse(fmt.Errorf("no string: %T", value))
		}
		v.SetString(string(text))
	case reflect.Int32:
		i, err := cbor.AsInt32(value)
		v.SetInt(int64(i))
		return refuse(err)
	case reflect.Bool:
		is, ok := value.(cbor.Bool)
		if !ok {
			return refuse(fmt.Errorf("no boolean: %T", value))
		}
		v.SetBool(bool(is))
	default:
		return refuse(fmt.Errorf("the local cloud can't read a %s", v.Kind()))
	}
	return nil
}

func decodeCBORList(value cbor.Value, v reflect.Value, path string) error {
	items, ok := value.(cbor.List)
	if !ok {
		return Err(http.StatusBadRequest, "SerializationException", fmt.Sprintf("%s: no list: %T", path, value))
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if err := DecodeCBOR(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func decodeCBORMap(value cbor.Value, v reflect.Value, path string) error {
	members, ok := value.(cbor.Map)
	if !ok {
		return Err(http.StatusBadRequest, "SerializationException", fmt.Sprintf("%s: no map: %T", path, value))
	}
	for name, member := range members {
		field := v.FieldByName(name)
		if !field.CanSet() || name == "ResultMetadata" {
			return Err(http.StatusBadRequest, "SerializationException", "unknown member "+path+"."+name)
		}
		if err := DecodeCBOR(member, field, path+"."+name); err != nil {
			return err
		}
	}
	return nil
}

// encodeCBOR returns a field of an output; nil for what is not set, which is left out.
func encodeCBOR(v reflect.Value) cbor.Value {
	if at, isTime := reflect.TypeAssert[time.Time](v); isTime {
		return &cbor.Tag{ID: 1, Value: cbor.Float64(float64(at.UnixMilli()) / 1000)}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return encodeCBOR(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return nil
		}
		items := cbor.List{}
		for i := range v.Len() {
			items = append(items, encodeCBOR(v.Index(i)))
		}
		return items
	case reflect.Struct:
		members := cbor.Map{}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Anonymous || f.Name == "ResultMetadata" {
				continue
			}
			if value := encodeCBOR(v.Field(i)); value != nil {
				members[f.Name] = value
			}
		}
		return members
	case reflect.String:
		if v.Len() == 0 {
			return nil
		}
		return cbor.String(v.String())
	case reflect.Float64:
		return cbor.Float64(v.Float())
	}
	panic("the local cloud can't write a " + v.Kind().String())
}

// CborReply writes the output of an action.
func CborReply(output any) cloud.Reply {
	return cloud.Reply{Status: http.StatusOK, Header: cborHeader(), Body: cbor.Encode(encodeCBOR(reflect.Indirect(reflect.ValueOf(output))))}
}

// CborFailure writes an error of a service that had the Query protocol before: clients find the code of that in a header.
// https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#aws-protocols-awsquerycompatible-trait
func CborFailure(namespace string, e *Error) cloud.Reply {
	fault := "Sender"
	if e.Status >= http.StatusInternalServerError {
		fault = "Receiver"
	}
	header := cborHeader()
	header.Set("X-Amzn-Query-Error", e.Code+";"+fault)
	body := cbor.Encode(cbor.Map{"__type": cbor.String(namespace + "#" + e.Code), "message": cbor.String(e.Message)})
	return cloud.Reply{Status: e.Status, Header: header, Body: body, Code: e.Code}
}

func cborHeader() http.Header {
	return http.Header{"Content-Type": {"application/cbor"}, "Smithy-Protocol": {"rpc-v2-cbor"}, "X-Amzn-Requestid": {cloud.RequestID()}}
}
