package localcloud

import "net/http"

// awsCloud is the AWS endpoint: it verifies the signature and hands the call to S3, RDS or STS.
type awsCloud struct {
	cloud   *Cloud
	address string
}

func newAWSCloud(c *Cloud) *awsCloud { return &awsCloud{cloud: c} }

func (a *awsCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNotImplemented)
}
