package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// DatabaseSupport says when what a database server runs on leaves support. All of it is what the cloud reports: a time that the cloud does not report is
// not set. Times are in UTC.
type DatabaseSupport struct {
	// engineVersion is the major version of the engine that the next two fields are about. Amazon RDS reports them. Google Cloud SQL does not, and
	// publishes them on https://cloud.google.com/sql/docs/db-versions only. They are not set either if the identity may not read them
	// (rds:DescribeDBMajorEngineVersions).
	// +optional
	EngineVersion string `json:"engineVersion,omitempty"`

	// engineEndOfStandardSupport is when the cloud's standard support of that version ends. In Amazon RDS a server that still runs it then is in Extended
	// Support, which costs more, or is upgraded to the next major version: spec.aws.engineLifecycleSupport chooses.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support.html
	// +optional
	EngineEndOfStandardSupport *metav1.Time `json:"engineEndOfStandardSupport,omitempty"`

	// engineEndOfExtendedSupport is when the cloud's extended support of that version ends. In Amazon RDS, a server that still runs it then is upgraded to
	// another major version. It is not set for MariaDB, of which RDS has no Extended Support.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/extended-support.html
	// +optional
	EngineEndOfExtendedSupport *metav1.Time `json:"engineEndOfExtendedSupport,omitempty"`

	// certificateExpires is when clients that verify the server's certificate can no longer connect, unless the certificate is replaced before. Amazon RDS
	// reports the end of the server's own certificate, and Google Cloud SQL that of the certificate authority that signed it.
	// Source: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL-certificate-rotation.html
	// Source: https://cloud.google.com/sql/docs/postgres/manage-ssl-instance
	// +optional
	CertificateExpires *metav1.Time `json:"certificateExpires,omitempty"`
}
