package s3

import (
	"maps"
	"net/http"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// A document is a part of a bucket's configuration that calls get, put and delete as a whole: each is a row of this, beside the types that
// it is made of. What is special about one is a field that others leave out. Those of which a bucket has several, told by ids, are in named.go.
type document[T any] struct {
	sub     string   // what calls name it by in the query
	noun    string   // in the names of the calls: Get, Put and Delete before it
	deletes string   // the name of the call that deletes it, where that is another
	headers []string // that a put takes
	// get returns what a bucket has; nil if it has none, of which a call is told by absent.
	get    func(b *s3Bucket) *T
	absent absence
	// check holds a document to S3's rules before it is put, and completes it; b is the bucket as it is.
	check func(c *call, b *s3Bucket, asked *T) error
	// put gives a changed copy of the bucket a document. remove takes it away; nil where no call does that.
	put    func(c *call, b *s3Bucket, asked *T)
	remove func(c *call, b *s3Bucket)
	// puts is the answer to a put, where it is another than 200.
	puts func() cloud.Reply
	// usable refuses all calls of a bucket that can't have the document. removable refuses a deletion.
	usable    func(b *s3Bucket) error
	removable func(b *s3Bucket) error
	// read and write are for one that is not XML. beside adds to the header of the answers to a get and a put.
	read   func(body []byte, bucket string) (*T, error)
	write  func(shown *T) (cloud.Reply, error)
	beside func(shown *T, header http.Header)
}

// An absence is what S3 says of a document that a bucket does not have, with status 404.
type absence struct{ code, message string }

// documents are all of them.
var documents = []interface {
	routes() map[string]operation
}{
	abacDocument, accelerationDocument, corsDocument, encryptionDocument, lifecycleDocument, loggingDocument, notificationDocument, objectLockDocument,
	ownershipDocument, paymentDocument, policyDocument, publicAccessDocument, replicationDocument, taggingDocument, versioningDocument, websiteDocument,
}

func init() {
	for _, d := range documents {
		maps.Copy(routes, d.routes())
	}
}

// routes returns the calls for the document.
func (d *document[T]) routes() map[string]operation {
	all := map[string]operation{
		"bucket GET " + d.sub: {name: "Get" + d.noun, do: d.doGet},
		"bucket PUT " + d.sub: {name: "Put" + d.noun, do: d.doPut, headers: d.headers},
	}
	if d.remove != nil {
		name := d.deletes
		if name == "" {
			name = "Delete" + d.noun
		}
		all["bucket DELETE "+d.sub] = operation{name: name, do: d.doRemove}
	}
	return all
}

// of returns the document of the call's bucket.
func (d *document[T]) of(c *call) (*T, error) {
	b, err := c.bucket()
	if err == nil && d.usable != nil {
		err = d.usable(b)
	}
	if err != nil {
		return nil, err
	}
	shown := d.get(b)
	if shown == nil {
		return nil, c.about(amazon.Err(http.StatusNotFound, d.absent.code, d.absent.message))
	}
	return shown, nil
}

func (d *document[T]) doGet(c *call) (cloud.Reply, error) {
	shown, err := d.of(c)
	if err != nil {
		return cloud.Reply{}, err
	}
	if d.write != nil {
		return d.write(shown)
	}
	answer := c.ok(*shown)
	if d.beside != nil {
		d.beside(shown, answer.Header)
	}
	return answer, nil
}

// doPut replaces the whole document. The bucket must be there: S3 looks for it before it reads the document.
func (d *document[T]) doPut(c *call) (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	asked, err := d.parse(c)
	if err == nil && d.check != nil {
		err = d.check(c, b, asked)
	}
	if err == nil && d.usable != nil {
		err = d.usable(b)
	}
	if err != nil {
		return cloud.Reply{}, err
	}
	answer := c.ok(nil)
	if d.puts != nil {
		answer = d.puts()
	}
	if d.beside != nil {
		d.beside(asked, answer.Header)
	}
	return answer, c.change(func(b *s3Bucket) error { d.put(c, b, asked); return nil })
}

func (d *document[T]) parse(c *call) (*T, error) {
	if d.read != nil {
		return d.read(c.body, c.name)
	}
	asked := new(T)
	return asked, c.parse(asked)
}

func (d *document[T]) doRemove(c *call) (cloud.Reply, error) {
	return noContent(), c.change(func(b *s3Bucket) error {
		d.remove(c, b)
		if d.removable != nil {
			return d.removable(b)
		}
		return nil
	})
}
