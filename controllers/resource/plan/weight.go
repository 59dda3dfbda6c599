package plan

import (
	"fmt"
	"reflect"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// LargestSpec is the size of the largest spec that Mooring works on, in bytes of JSON as Weight counts them. It bounds what one object can cause, in time and in
// memory, and leaves room for the status: the API server stores an object with its status and the names of all fields that somebody manages in 1.5 MiB
// together. All limits of the clouds that count bytes are far below: 20 KB for a policy of S3, 64 KB for its CORS rules.
// https://etcd.io/docs/v3.6/dev-guide/limit/
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-policies.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html
const LargestSpec = 512 << 10

// Weight returns about how many bytes a value has as JSON, without making it.
func Weight(value any) int { return weigh(reflect.ValueOf(value)) }

func weigh(v reflect.Value) (bytes int) {
	const number, name, quotes = 4, 12, 3 // and a comma or colon
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return weigh(v.Elem())
	case reflect.String:
		return v.Len() + quotes
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			bytes += quotes + weigh(v.Index(i))
		}
		return bytes
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			bytes += quotes + weigh(each.Key()) + weigh(each.Value())
		}
		return bytes
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanInterface() && !field.IsZero() {
				bytes += quotes + name + weigh(field)
			}
		}
		return bytes
	default:
		return number
	}
}

// TooLarge says that a spec is larger than Mooring works on; empty if it is not. What was applied as it is stays under Mooring's care: an earlier release
// took it.
func TooLarge(object v1alpha1.ResourceObject) string {
	status := object.GetResourceStatus()
	weight := Weight(object.GetSpec())
	if weight <= LargestSpec || status.AppliedGeneration != 0 && status.AppliedGeneration == object.GetGeneration() {
		return ""
	}
	return fmt.Sprintf("the spec has %d KiB, and Mooring works on %d KiB at most, so that there is room for the status beside it: make its lists shorter, for example by patterns or groups in place of single names. Until then nothing is created or changed for it",
		weight>>10, LargestSpec>>10)
}
