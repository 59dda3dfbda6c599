package aws_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/awstest"
)

// TestLargeAnswer creates instances, which are answered at once and with more than fits into one packet. No answer may be lost on
// the way: a creation is sent only once.
func TestLargeAnswer(t *testing.T) {
	answer := `<CreateDBInstanceResponse><CreateDBInstanceResult><DBInstance>` +
		`<DBInstanceIdentifier>orders</DBInstanceIdentifier><DBInstanceArn>arn:aws:rds:eu-central-1:111111111111:db:orders</DBInstanceArn><TagList>` +
		strings.Repeat(`<Tag><Key>large</Key><Value>answer</Value></Tag>`, 1500) +
		`</TagList></DBInstance></CreateDBInstanceResult></CreateDBInstanceResponse>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	conn := openAt(t, server.URL)
	for i := range 50 {
		if _, err := drivertest.Databases(conn).Create(t.Context(), creation); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
	}
}

// TestAnswerThatBreaksOff loses the rest of each answer. That says nothing of the instance, and may be better the next time.
func TestAnswerThatBreaksOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<CreateDBInstanceResponse><CreateDBInstanceResult><DBInst`)
	}))
	defer server.Close()
	_, err := drivertest.Databases(openAt(t, server.URL)).Create(t.Context(), creation)
	awstest.WantCode(t, err, driver.Unavailable)
}

var creation = table.Request[v1alpha1.DatabaseParameters]{
	Request: driver.Request{
		Name:     "orders",
		Location: awstest.Region,
	},
	Login: driver.Login{Password: "correct-horse"},
	Spec:  v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}},
}

// openAt returns a connection to a server that stands for AWS.
func openAt(t *testing.T, url string) driver.Session {
	t.Helper()
	conn, err := aws.New(aws.Options{Endpoint: url}).Open(t.Context(), driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: awstest.Region}}, Location: awstest.Region},
		Credentials: map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIDEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("secret")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
