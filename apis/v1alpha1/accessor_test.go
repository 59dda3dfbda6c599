package v1alpha1

import (
	"encoding/json"
	"reflect"
	"testing"
)

var (
	_ = []ClassObject{&BucketClass{}, &DatabaseClass{}}
	_ = []ProviderConfigObject{&ProviderConfig{}, &ClusterProviderConfig{}}
)

func TestParametersAreACopy(t *testing.T) {
	b := &Bucket{Spec: BucketSpec{BucketParameters: BucketParameters{Location: new("eu-central-1"), Tags: map[string]TagValue{"team": "shop"}}}}
	d := &Database{Spec: DatabaseSpec{DatabaseParameters: DatabaseParameters{Location: new("eu-central-1"), Tags: map[string]TagValue{"team": "shop"}}}}
	for _, object := range []ResourceObject{b, d} {
		before := object.DeepCopyObject()
		p := reflect.ValueOf(object.GetParameters()).Elem()
		p.FieldByName("Location").Elem().SetString("us-east-1")
		p.FieldByName("Tags").SetMapIndex(reflect.ValueOf("team"), reflect.ValueOf(TagValue("other")))
		if !reflect.DeepEqual(before, object) {
			t.Errorf("%T: a change of the parameters changed the object", object)
		}
	}
}

func TestObserved(t *testing.T) {
	for _, object := range ResourceObjects() {
		if got := object.GetObserved(); got != nil {
			t.Errorf("%T: got %v before anything was observed, want nil", object, got)
		}
		for _, step := range []struct{ mirror, want string }{
			{`{"tags":{"a":"1","c":"3"}}`, `{"tags":{"a":"1","c":"3"}}`},
			{``, `{"tags":{"a":"1","c":"3"}}`},
			{`{"tags":{"b":"2"}}`, `{"tags":{"b":"2"}}`},
			{`null`, `null`},
		} {
			if err := object.SetObserved(json.RawMessage(step.mirror)); err != nil {
				t.Fatal(err)
			}
			if got, err := json.Marshal(object.GetObserved()); err != nil || string(got) != step.want {
				t.Errorf("%T: after %q got %s, %v; want %s", object, step.mirror, got, err, step.want)
			}
			if of := reflect.TypeOf(object.GetObserved()); of != nil && of != reflect.TypeOf(object.GetParameters()) {
				t.Errorf("%T: the mirror is a %v, the parameters are a %T", object, of, object.GetParameters())
			}
		}
		if err := object.SetObserved(json.RawMessage(`{"tags":7}`)); err == nil {
			t.Errorf("%T: a mirror that is none was taken", object)
		}
	}
}

func TestSizes(t *testing.T) {
	c := &DatabaseClass{Spec: DatabaseClassSpec{DefaultSize: "s", Sizes: []DatabaseSize{
		{Name: "s", Cost: "little", AWS: &DatabaseAWS{InstanceClass: new("db.t4g.micro")}},
		{Name: "m", Storage: &DatabaseStorageBounds{MinGiB: new(int32(20))}},
		{Name: "l", Storage: &DatabaseStorageBounds{MaxGiB: new(int32(50))}},
	}}}
	sizes := c.GetSizes()
	if len(sizes) != 3 || sizes[0].Name != "s" || sizes[0].Cost != "little" || sizes[0].Entry != &c.Spec.Sizes[0] || sizes[0].Bounds != nil {
		t.Errorf("got %+v", sizes)
	}
	if b := sizes[1].Bounds["storage.sizeGiB"]; b.Min == nil || *b.Min != 20 || b.Max != nil {
		t.Errorf("got bounds %+v of size m", sizes[1].Bounds)
	}
	for _, field := range []string{"storage.sizeGiB", "storage.maxSizeGiB"} { // growth must not lead beyond what the size allows
		if b := sizes[2].Bounds[field]; b.Min != nil || b.Max == nil || *b.Max != 50 {
			t.Errorf("got bounds %+v of %s in size l", b, field)
		}
	}
	if got := (&BucketClass{}).GetSizes(); got != nil {
		t.Errorf("got sizes %v of a bucket class", got)
	}
}
