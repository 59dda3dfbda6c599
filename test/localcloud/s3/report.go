package s3

import (
	"encoding/xml"
	"net/http"
	"regexp"
	"slices"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type analyticsDestination struct {
	Format    string
	AccountID *string `xml:"BucketAccountId"`
	Bucket    string
	Prefix    *string
}

type analyticsConfiguration struct {
	XMLName   xml.Name     `xml:"AnalyticsConfiguration"`
	Namespace string       `xml:"xmlns,attr,omitempty"`
	Filter    *namedFilter `xml:"Filter"`
	ID        string       `xml:"Id"`
	Analysis  *struct {
		Export *struct {
			Version     string                `xml:"OutputSchemaVersion"`
			Destination *analyticsDestination `xml:"Destination>S3BucketDestination"`
		} `xml:"DataExport"`
	} `xml:"StorageClassAnalysis"`
}

func (a *analyticsConfiguration) id() string { return a.ID }

// valid holds an analysis to the schema. No recording shows the refusals but that of another id.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_AnalyticsConfiguration.html
func (a *analyticsConfiguration) valid(c *call) error {
	if a.Analysis == nil || a.Filter != nil && a.Filter.accessPoint() != nil {
		return malformedXML()
	}
	if export := a.Analysis.Export; export != nil {
		if export.Version != "V_1" || export.Destination == nil || export.Destination.Format != "CSV" {
			return malformedXML()
		}
		if err := c.reportsTo(export.Destination.Bucket, export.Destination.AccountID); err != nil {
			return err
		}
	}
	return a.Filter.valid()
}

type inventoryEncryption struct {
	KMS *struct {
		KeyID string `xml:"KeyId"`
	} `xml:"SSE-KMS"`
	S3 *struct{} `xml:"SSE-S3"`
}

type inventoryDestination struct {
	AccountID  *string `xml:"AccountId"`
	Bucket     string
	Encryption *inventoryEncryption
	Format     string
	Prefix     *string
}

type inventoryFields struct {
	Field []string
}

type inventoryConfiguration struct {
	XMLName     xml.Name              `xml:"InventoryConfiguration"`
	Namespace   string                `xml:"xmlns,attr,omitempty"`
	Destination *inventoryDestination `xml:"Destination>S3BucketDestination"`
	Filter      *struct {
		Prefix *string
	} `xml:"Filter"`
	ID       string           `xml:"Id"`
	Versions string           `xml:"IncludedObjectVersions"`
	Enabled  *bool            `xml:"IsEnabled"`
	Fields   *inventoryFields `xml:"OptionalFields"`
	Schedule struct{ Frequency string }
}

// inventoryColumns are what lists may say of an object.
var inventoryColumns = []string{
	"Size", "LastModifiedDate", "StorageClass", "ETag", "IsMultipartUploaded", "ReplicationStatus", "EncryptionStatus", "ObjectLockRetainUntilDate", "ObjectLockMode",
	"ObjectLockLegalHoldStatus", "ObjectLockEventHoldStatus", "ObjectLockEventHoldDuration", "IntelligentTieringAccessTier", "BucketKeyStatus", "ChecksumAlgorithm",
	"ObjectAccessControlList", "ObjectOwner", "LifecycleExpirationDate", "IntelligentTieringReferenceDate",
}

func (i *inventoryConfiguration) id() string { return i.ID }

func idMismatch() error {
	return amazon.Err(http.StatusBadRequest, "IdMismatch", "Document ID does not match the specified configuration ID.")
}

// valid refuses what the recordings show refused: values that there are not. That of a bucket comes before them.
func (i *inventoryConfiguration) valid(c *call) error {
	to := i.Destination
	if to == nil || i.Enabled == nil || i.Filter != nil && i.Filter.Prefix == nil {
		return malformedXML()
	}
	if err := c.reportsTo(to.Bucket, to.AccountID); err != nil {
		return err
	}
	known := slices.Contains([]string{"CSV", "ORC", "Parquet"}, to.Format) && slices.Contains([]string{"Daily", "Weekly"}, i.Schedule.Frequency) &&
		slices.Contains([]string{"All", "Current"}, i.Versions)
	if i.Fields != nil {
		for n, field := range i.Fields.Field {
			known = known && slices.Contains(inventoryColumns, field) && !slices.Contains(i.Fields.Field[:n], field)
		}
	}
	if e := to.Encryption; e != nil && (e.KMS == nil) == (e.S3 == nil) || e != nil && e.KMS != nil && e.KMS.KeyID == "" {
		known = false
	}
	if !known {
		return malformedXML()
	}
	return nil
}

var reportBucket = regexp.MustCompile(`^arn:aws(?:-[a-z-]+)?:s3:([^:]*):([^:]*):([^:/]+)$`)

// reportsTo refuses a bucket that S3 can't write files to. The recordings show the refusal of what is no ARN; that of an ARN with a region or an account has
// the words that people report. No recording shows whether S3 looks for the bucket: here it does if the bucket is to be the caller's.
// https://github.com/aws/aws-cli/issues/3611
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-inventory.html (the same Region)
func (c *call) reportsTo(arn string, account *string) error {
	const code = "InvalidS3DestinationBucket"
	parts := reportBucket.FindStringSubmatch(arn)
	switch {
	case parts == nil:
		return amazon.Err(http.StatusBadRequest, code, "Invalid bucket ARN.")
	case parts[1] != "" || parts[2] != "":
		return amazon.Err(http.StatusBadRequest, code, "Bucket ARN should not specify a namespace.")
	case account != nil && *account != c.caller.Account:
		return nil
	}
	region, name := "", parts[3]
	if names := platformLogs.FindStringSubmatch(name); names != nil {
		region = names[1]
	} else if target := c.buckets[name].Read(c.stale); target != nil {
		region = target.region
	}
	if region != c.caller.Region {
		return amazon.Err(http.StatusBadRequest, code, "The destination bucket does not exist in the Region of the bucket.")
	}
	return nil
}
