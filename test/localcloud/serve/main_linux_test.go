package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// asProgram has the test binary be the program.
const asProgram = "MOORING_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestServe starts the program, uses what it prints by the real SDKs, and ends it.
func TestServe(t *testing.T) {
	address, next := freePorts(t)
	p := start(t, "--listen="+address, "--fault=denied=ListBuckets")
	var at localcloud.Access
	if err := json.NewDecoder(p.out).Decode(&at); err != nil {
		t.Fatalf("read what it printed: %v", err)
	}
	if at.AWS.Endpoint != "http://"+address || at.GCP.Endpoint != "http://"+next {
		t.Errorf("endpoints %s and %s, want %s and %s", at.AWS.Endpoint, at.GCP.Endpoint, address, next)
	}
	callAWS(t, at.AWS)
	callGCP(t, at.GCP)
	err := engine.Available("postgres")
	switch {
	case err == nil && len(p.servers()) == 0:
		t.Error("no PostgreSQL server runs")
	case err != nil && os.Getenv("CI") != "":
		t.Error(err)
	case err != nil:
		t.Logf("NOT TESTED with a database server: %v", err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(t); err != nil {
		t.Errorf("it ended with %v, want status 0", err)
	}
	if left := p.servers(); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
	if left, err := os.ReadDir(p.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestRefused: what can't work ends the program, with a word that says why.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ flag, says string }{
		{"--listen=0.0.0.0:0", "loopback"},
		{"--listen=127.0.0.1", "missing port"},
		{"--create=soon", "-create"},
		{"--fault=flood", "throttled"},
		{"stray", "stray"},
	} {
		t.Run(c.flag, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.flag)
			if out, err := io.ReadAll(p.out); err != nil || len(out) > 0 {
				t.Errorf("it printed %q, %v", out, err)
			}
			if p.wait(t) == nil {
				t.Error("status 0")
			}
			if !strings.Contains(p.said.String(), c.says) {
				t.Errorf("it says %q, nothing of %q", &p.said, c.says)
			}
		})
	}
}

func callAWS(t *testing.T, at localcloud.AWSAccess) {
	t.Helper()
	ctx := t.Context()
	cfg := aws.Config{
		Region: at.Region, BaseEndpoint: &at.Endpoint,
		Credentials: credentials.NewStaticCredentialsProvider(at.AccessKeyID, at.SecretAccessKey, ""),
	}
	who, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, nil)
	if err != nil || *who.Account != at.AccountID {
		t.Errorf("STS: %+v, %v; want account %s", who, err, at.AccountID)
	}
	buckets := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	_, err = buckets.CreateBucket(ctx, &s3.CreateBucketInput{
		Bucket:                    aws.String("served"),
		CreateBucketConfiguration: &s3types.CreateBucketConfiguration{LocationConstraint: s3types.BucketLocationConstraint(at.Region)},
	})
	if err != nil {
		t.Errorf("S3: %v", err)
	}
	if _, err := buckets.ListBuckets(ctx, nil); err == nil {
		t.Error("S3: the fault that was asked for did not hit")
	}
	databases := rds.NewFromConfig(cfg)
	_, err = databases.CreateDBInstance(ctx, &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: aws.String("served"), DBInstanceClass: aws.String("db.t4g.micro"), Engine: aws.String("postgres"),
		AllocatedStorage: aws.Int32(20), MasterUsername: aws.String("master"), MasterUserPassword: aws.String("long-enough-1"),
	})
	if err != nil {
		t.Fatalf("RDS: %v", err)
	}
	err = rds.NewDBInstanceAvailableWaiter(databases, func(o *rds.DBInstanceAvailableWaiterOptions) { o.MinDelay = 100 * time.Millisecond }).
		Wait(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String("served")}, patience)
	if err != nil {
		t.Errorf("RDS: %v", err)
	}
}

func callGCP(t *testing.T, at localcloud.GCPAccess) {
	t.Helper()
	ctx := t.Context()
	key := option.WithAuthCredentialsJSON(option.ServiceAccount, at.Credentials)
	buckets, err := storage.NewClient(ctx, option.WithEndpoint(at.Endpoint+"/storage/v1/"), key)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = buckets.Close() }()
	if err := buckets.Bucket("served").Create(ctx, at.Project, &storage.BucketAttrs{Location: at.Region}); err != nil {
		t.Errorf("Cloud Storage: %v", err)
	}
	databases, err := sqladmin.NewService(ctx, option.WithEndpoint(at.Endpoint), key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := databases.Instances.List(at.Project).Context(ctx).Do(); err != nil {
		t.Errorf("Cloud SQL: %v", err)
	}
}

// freePorts returns an address and the one after it. Nothing else uses that host, so both are free.
func freePorts(t *testing.T) (address, next string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.86.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	at := listener.Addr().(*net.TCPAddr)
	after := *at
	after.Port++
	return at.String(), after.String()
}

// patience is for a machine that does everything else too.
const patience = 5 * time.Minute

// A program is one that runs, with a folder for temporary files of its own.
type program struct {
	cmd  *exec.Cmd
	dir  string
	out  io.Reader
	said bytes.Buffer // its errors
	done chan struct{}
	err  error
}

func start(t *testing.T, flags ...string) *program {
	t.Helper()
	dir, err := os.MkdirTemp("", "serve-") // t.TempDir's long path leaves no room for PostgreSQL's socket
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil { // database servers are another user's
		t.Fatal(err)
	}
	out, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: exec.Command(os.Args[0], flags...), dir: dir, out: out, done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+dir)
	p.cmd.Stdout, p.cmd.Stderr = input, &p.said
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = input.Close()
	go func() {
		defer close(p.done)
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		_ = out.Close()
		_ = os.RemoveAll(dir)
		if t.Failed() {
			t.Logf("it said: %s", &p.said)
		}
	})
	return p
}

// wait returns how the program ended.
func (p *program) wait(t *testing.T) error {
	t.Helper()
	select {
	case <-p.done:
		return p.err
	case <-time.After(patience):
		t.Fatalf("it did not end within %v", patience)
		return nil
	}
}

// servers returns the programs that work in the folder: the database servers.
func (p *program) servers() (running []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, p.dir) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "comm"))
			running = append(running, strings.TrimSpace(string(name)))
		}
	}
	return running
}
