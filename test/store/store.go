package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
)

// The owners of buckets in a store: their access keys, which is also how versitygw names them.
const (
	Root   = "AKIAROOT"
	Tenant = "AKIATENANT"
	Other  = "AKIAOTHER"
	Empty  = "AKIAEMPTY"
)

// Options say what a store has. The zero value is a store with all that versitygw has.
type Options struct {
	// Region is the store's; us-east-1 if empty, which is versitygw's own default.
	Region string
	// NoVersions: buckets keep no versions.
	NoVersions bool
	// NoTags: the store takes tags, and all other settings, and keeps none.
	NoTags bool
}

// A Store is a running versitygw.
type Store struct {
	// Endpoint is the URL of its API.
	Endpoint string
	// Region is where its buckets are.
	Region string
}

// Start runs a store until the test ends. Buckets are folders in a folder of the test, and what is not in files is in their extended attributes,
// or in files beside where the file system has none.
func Start(t testing.TB, o Options) *Store {
	t.Helper()
	program := cluster.ProgramForTest(t, "versitygw")
	if o.Region == "" {
		o.Region = "us-east-1"
	}
	dir := t.TempDir()
	folder := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	address := free(t)
	args := []string{"--port", address, "--region", o.Region, "--quiet", "--health", "/health", "--iam-dir", users(t, folder("iam")), "posix"}
	if !o.NoVersions && !o.NoTags {
		args = append(args, "--versioning-dir", folder("versions"))
	}
	data := folder("data")
	switch {
	case o.NoTags:
		args = append(args, "--nometa")
	case !attributes(data):
		args = append(args, "--sidecar", folder("attributes"))
	}
	s := &Store{Endpoint: "http://" + address, Region: o.Region}
	s.run(t, exec.Command(program, append(args, data)...))
	return s
}

// free returns an address on loopback that nobody listens at. Where all of 127.0.0.0/8 is loopback the host is one's own, too, so that nobody else
// draws the same port before the store listens at it.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:0", 64+rand.IntN(128), rand.IntN(256), 1+rand.IntN(254)))
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// attributes reports whether a file system has extended attributes of users.
func attributes(dir string) bool { return setAttribute(dir) == nil }

// users writes the owners of buckets to where versitygw looks for them, and returns that folder.
func users(t testing.TB, dir string) string {
	t.Helper()
	type user struct {
		Access string `json:"access"`
		Secret string `json:"secret"`
		Role   string `json:"role"`
	}
	all := map[string]user{}
	for _, access := range []string{Tenant, Other, Empty} {
		all[access] = user{access, secret(access), "userplus"} // who may create buckets
	}
	text, err := json.Marshal(map[string]any{"accessAccounts": all})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "users.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func secret(owner string) string { return "secret-of-" + strings.ToLower(owner) }

// run runs the program until the test ends, and waits until it answers. What ends the test program ends it, too.
func (s *Store) run(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	var said output
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Root, "ROOT_SECRET_KEY="+secret(Root))
	cmd.SysProcAttr = dieWithParent()
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the death signal follows the thread that started the program
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("versitygw said:\n%s", said.String())
		}
	})
	s.await(t, ended, &said)
}

func (s *Store) await(t testing.TB, ended chan struct{}, said *output) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("versitygw ended: %s", said.String())
		default:
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Endpoint+"/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
	}
	t.Fatalf("versitygw does not answer: %s", said.String())
}

// An output is what a program says. It is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns all of it.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Keys returns the contents of an owner's credentials Secret.
func (s *Store) Keys(owner string) map[string][]byte {
	return map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(owner), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret(owner))}
}

// Account returns what a provider config says of the store.
func (s *Store) Account() v1alpha1.Account {
	return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: s.Region, S3Compatible: &v1alpha1.S3CompatibleStore{}}}
}

// AccountOf returns the account that Mooring makes of an owner at an endpoint: a fingerprint, since the owner is the access key.
func AccountOf(endpoint, owner string) string {
	return strings.TrimPrefix(endpoint, "http://") + "/" + fmt.Sprintf("key-%x", sha256.Sum256([]byte(owner)))[:16]
}

// Client returns a client for what an owner does beside Mooring.
func (s *Store) Client(owner string) *s3.Client {
	return s3.NewFromConfig(awssdk.Config{
		Region: s.Region, Credentials: credentials.NewStaticCredentialsProvider(owner, secret(owner), ""), BaseEndpoint: &s.Endpoint,
	}, func(o *s3.Options) { o.UsePathStyle = true })
}

// Do makes a call for what people do beside Mooring, which must succeed.
func Do[I, O any](t testing.TB, call func(context.Context, *I, ...func(*s3.Options)) (*O, error), in *I) *O {
	t.Helper()
	out, err := call(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
