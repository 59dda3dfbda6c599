package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type aclGrantee struct {
	XSI  string `xml:"xmlns:xsi,attr"`
	Type string `xml:"xsi:type,attr"`
	ID   string `xml:",omitempty"`
	URI  string `xml:",omitempty"`
}

type aclGrant struct {
	Grantee    aclGrantee
	Permission string
}

// cannedGrants says what a canned ACL gives to others than the owner.
var cannedGrants = map[string][][2]string{
	"private":            nil,
	"public-read":        {{"http://acs.amazonaws.com/groups/global/AllUsers", "READ"}},
	"public-read-write":  {{"http://acs.amazonaws.com/groups/global/AllUsers", "READ"}, {"http://acs.amazonaws.com/groups/global/AllUsers", "WRITE"}},
	"authenticated-read": {{"http://acs.amazonaws.com/groups/global/AuthenticatedUsers", "READ"}},
}

func (c *call) getACL() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	const xsi = "http://www.w3.org/2001/XMLSchema-instance"
	grants := []aclGrant{{aclGrantee{XSI: xsi, Type: "CanonicalUser", ID: canonicalUser(b.account)}, "FULL_CONTROL"}}
	for _, g := range cannedGrants[b.acl] {
		grants = append(grants, aclGrant{aclGrantee{XSI: xsi, Type: "Group", URI: g[0]}, g[1]})
	}
	return c.ok(struct {
		XMLName xml.Name   `xml:"http://s3.amazonaws.com/doc/2006-03-01/ AccessControlPolicy"`
		OwnerID string     `xml:"Owner>ID"`
		Grants  []aclGrant `xml:"AccessControlList>Grant"`
	}{OwnerID: canonicalUser(b.account), Grants: grants}), nil
}

// putACL takes canned ACLs. Ownership BucketOwnerEnforced turns ACLs off; blocks of public access refuse public ones.
func (c *call) putACL() (cloud.Reply, error) {
	acl := c.r.Header.Get("X-Amz-Acl")
	if _, ok := cannedGrants[acl]; !ok || len(c.body) > 0 {
		return cloud.Reply{}, notImplemented("an ACL that is not canned")
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error {
		switch {
		case b.ownership == bucketOwnerEnforced && acl != "private":
			return amazon.Err(http.StatusBadRequest, "AccessControlListNotSupported", "The bucket does not allow ACLs")
		case b.blocks != nil && b.blocks.BlockPublicAcls && strings.HasPrefix(acl, "public"):
			return accessDenied()
		}
		b.acl = acl
		return nil
	})
}

// canonicalUser is the id that S3 gives an account.
func canonicalUser(account string) string {
	sum := sha256.Sum256([]byte(account))
	return hex.EncodeToString(sum[:])
}
