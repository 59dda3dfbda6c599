package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/cluster"
)

// TestImage builds twice for all of its parts, since each build links anew.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	first := makeImage(t, filepath.Join(dir, "first.tar"), "TZ=UTC")
	// What may differ from one machine to the next.
	second := makeImage(t, filepath.Join(dir, "second.tar"), "TZ=Pacific/Auckland", "UMASK=077", "TMPDIR="+t.TempDir(),
		"GOFLAGS=-buildvcs=false")
	l := unpackArchive(t, first.archive, filepath.Join(dir, "layout"))
	digest, images := l.images(t)

	t.Run("two builds give one digest", func(t *testing.T) { sameBuilds(t, first, second, digest) })
	for _, img := range images {
		t.Run(img.config.OS+" "+img.config.Architecture, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			headers := img.unpack(t, root)
			t.Run("its configuration", func(t *testing.T) { configuration(t, img) })
			t.Run("its files", func(t *testing.T) { files(t, headers) })
			t.Run("its program", func(t *testing.T) { program(t, img, root) })
			t.Run("its CA certificates", func(t *testing.T) { authorities(t, root) })
			t.Run("its SBOM", func(t *testing.T) { sbom(t, first, img, root) })
			if img.config.Architecture != runtime.GOARCH {
				return
			}
			t.Run("it says its version and flags", func(t *testing.T) { speaks(t, img, root) })
			t.Run("it becomes ready", func(t *testing.T) { becomesReady(t, img, root) })
		})
	}
}

// A built image is what `make image` left.
type built struct {
	archive string
	digest  string // as it was printed last
}

// makeImage runs `make image` with variables added to its environment; UMASK is the shell's.
func makeImage(t *testing.T, archive string, environment ...string) built {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	platforms := os.Getenv("IMAGE_PLATFORMS")
	if platforms == "" {
		platforms = "linux/" + runtime.GOARCH
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask "${UMASK:-022}"; exec "$@"`, "sh",
		"make", "--no-print-directory", "-C", root, "image", "ARCHIVE="+archive, "PLATFORMS="+platforms, "BASE=")
	// A make that runs the tests has its own flags there, among them what it was told to set.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS=")
	})
	cmd.Env = append(cmd.Env, environment...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("make image: %v\n%s%s", err, &out, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return built{archive: archive, digest: lines[len(lines)-1]}
}

func sameBuilds(t *testing.T, first, second built, digest string) {
	if first.digest != digest {
		t.Errorf("make image printed %q last, want the digest of what the archive holds, %s", first.digest, digest)
	}
	if first.digest != second.digest {
		t.Errorf("built again: %s, want %s", second.digest, first.digest)
	}
	if sum(t, first.archive) != sum(t, second.archive) {
		t.Error("built again: another archive")
	}
}

func sum(t *testing.T, path string) [sha256.Size]byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sha256.Sum256(content)
}

func configuration(t *testing.T, img image) {
	c := img.config.Config
	if c.User != "65532:65532" {
		t.Errorf("user %q, want one without privileges, by number", c.User)
	}
	if want := []string{"/ko-app/mooring"}; !slices.Equal(c.Entrypoint, want) || len(c.Cmd) > 0 {
		t.Errorf("entrypoint %q, command %q, want %q and none: charts give flags alone", c.Entrypoint, c.Cmd, want)
	}
	if len(c.Volumes) > 0 {
		t.Errorf("it wants to write to %v", c.Volumes)
	}
	for _, v := range c.Env {
		if strings.HasPrefix(v, "MOORING_") {
			t.Errorf("%s is set, and would count as a flag", v)
		}
	}
	if diff := cmp.Diff(c.Labels, without(img.manifest.Annotations, "org.opencontainers.image.base.")); diff != "" {
		t.Errorf("labels and annotations differ:\n%s", diff)
	}
	want := map[string]string{
		"title": "mooring", "licenses": "Apache-2.0", "source": "https://github.com/mooring-dev/mooring", "created": img.config.Created,
	}
	if _, err := os.Stat(repositoryFile(t, ".git")); err == nil {
		want["revision"] = git(t, "rev-parse", "HEAD")
		want["version"] = c.Labels["org.opencontainers.image.version"] // which the program is asked for
		if want["version"] == "(devel)" {
			t.Error("built from a repository it bears no version")
		}
	}
	for name, value := range want {
		if got := c.Labels["org.opencontainers.image."+name]; got != value {
			t.Errorf("label %s is %q, want %q", name, got, value)
		}
	}
}

// without returns m without the keys that begin so.
func without(m map[string]string, prefix string) map[string]string {
	kept := map[string]string{}
	for key, value := range m {
		if !strings.HasPrefix(key, prefix) {
			kept[key] = value
		}
	}
	return kept
}

// wanted is every file there may be: none of them a shell.
var wanted = []string{"/LICENSE", "/NOTICE", "/etc/group", "/etc/passwd", "/etc/ssl/certs/ca-certificates.crt", "/ko-app/mooring"}

func files(t *testing.T, headers []*tar.Header) {
	var found []string
	for _, header := range headers {
		if header.Typeflag != tar.TypeDir {
			found = append(found, path.Clean("/"+header.Name))
		}
		switch mode := header.FileInfo().Mode(); {
		case header.Typeflag != tar.TypeDir && header.Typeflag != tar.TypeReg:
			t.Errorf("%s is neither file nor folder", header.Name)
		case header.Uid != 0 || header.Gid != 0:
			t.Errorf("%s belongs to %d:%d, want root", header.Name, header.Uid, header.Gid)
		case mode.Perm()&0o022 != 0:
			t.Errorf("%s has the mode %v: others than root may write it", header.Name, mode)
		case mode&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky) != 0 || header.Mode&^0o777 != 0:
			t.Errorf("%s has the mode %o", header.Name, header.Mode)
		case len(header.PAXRecords) > 0:
			t.Errorf("%s has attributes: %v", header.Name, header.PAXRecords)
		}
		if !header.ModTime.IsZero() && header.ModTime.Unix() != 0 {
			t.Errorf("%s bears a time: %v", header.Name, header.ModTime)
		}
	}
	slices.Sort(found)
	if diff := cmp.Diff(slices.Sorted(slices.Values(wanted)), found); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
}

// program: it is for the platform, static, and stamped with what the labels say.
func program(t *testing.T, img image, root string) {
	binary := filepath.Join(root, img.config.Config.Entrypoint[0])
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[img.config.Architecture]; file.Machine != want {
		t.Errorf("it is for %v, want %v", file.Machine, want)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("it is not static: it has a segment %v", p.Type)
		}
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if want := img.config.Config.Labels["org.opencontainers.image.version"]; info.Main.Version != want {
		t.Errorf("it is %s, the label says %s", info.Main.Version, want)
	}
}

func authorities(t *testing.T, root string) {
	rest, err := os.ReadFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for len(rest) > 0 {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			t.Fatalf("not a certificate: %.80q", rest)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if !certificate.IsCA {
			t.Errorf("%s is no authority", certificate.Subject)
		}
		names[certificate.Subject.CommonName] = true
	}
	if len(names) < 100 {
		t.Errorf("%d authorities, want 100 at least", len(names))
	}
	for _, cloud := range []string{"Amazon Root CA 1", "GTS Root R1"} {
		if !names[cloud] {
			t.Errorf("%s is missing: its cloud could not be reached", cloud)
		}
	}
}

// sbom: beside the archive is a document that names every module in the program.
func sbom(t *testing.T, b built, img image, root string) {
	name := fmt.Sprintf("mooring-%s-%s.spdx.json", img.config.OS, img.config.Architecture)
	content, err := os.ReadFile(filepath.Join(strings.TrimSuffix(b.archive, ".tar")+".sbom", name))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		SPDX     string `json:"spdxVersion"`
		Packages []struct {
			Name    string `json:"name"`
			Version string `json:"versionInfo"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.SPDX, "SPDX-2.") {
		t.Errorf("version %q", document.SPDX)
	}
	named := map[string]bool{}
	for _, p := range document.Packages {
		named[p.Name+"@"+p.Version] = true
	}
	info, err := buildinfo.ReadFile(filepath.Join(root, img.config.Config.Entrypoint[0]))
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 50 {
		t.Errorf("the program says that it holds %d modules", len(info.Deps))
	}
	for _, module := range info.Deps {
		if !named[module.Path+"@"+module.Version] {
			t.Errorf("%s@%s is in the program and not in the SBOM", module.Path, module.Version)
		}
	}
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func repositoryFile(t *testing.T, elem ...string) string {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{root}, elem...)...)
}
