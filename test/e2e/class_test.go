package e2e

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// classes makes a DatabaseClass of the fixture, with a catalogue, in a cloud.
func (w *fixture) databaseClass(c *system.Cloud, change func(*v1alpha1.DatabaseClassSpec)) *v1alpha1.DatabaseClass {
	w.Helper()
	return w.databaseClassNamed(c, w.Namespace, change)
}

func (w *fixture) databaseClassNamed(c *system.Cloud, name string, change func(*v1alpha1.DatabaseClassSpec)) *v1alpha1.DatabaseClass {
	w.Helper()
	class := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	class.Spec = v1alpha1.DatabaseClassSpec{
		ClassSpec: v1alpha1.ClassSpec{
			ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: c.Config},
			AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": w.Namespace}},
		},
		Defaults:    &v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(3))}},
		Enforced:    &v1alpha1.DatabaseParameters{Tags: map[string]v1alpha1.TagValue{"cost": "shop"}},
		DefaultSize: "small",
	}
	for i, name := range []string{"small", "large"} {
		var p v1alpha1.DatabaseParameters
		system.SetSize(c, &p, system.Sizes[c.Name][i])
		class.Spec.Sizes = append(class.Spec.Sizes, v1alpha1.DatabaseSize{
			Name: name, AWS: p.AWS, GCP: p.GCP, Storage: &v1alpha1.DatabaseStorageBounds{MinGiB: new(int32(20)), MaxGiB: new(int32(100))},
		})
	}
	class.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	if change != nil {
		change(&class.Spec)
	}
	w.Must(w.Client.Create(w.Context(), class))
	w.Cleanup(func() { w.Must(client.IgnoreNotFound(w.Client.Delete(suite.Context(), class))) })
	return class
}

// editClass changes a class, and waits until the controller goes by it: what is created after that is judged by the new rules.
func (w *fixture) editClass(class *v1alpha1.DatabaseClass, change func(*v1alpha1.DatabaseClassSpec)) {
	w.Helper()
	w.Eventually("the class is edited", func() bool {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(class), class))
		change(&class.Spec)
		return w.Client.Update(w.Context(), class) == nil
	})
	w.AwaitObject(class, "the controller has seen the class", func() bool {
		return class.Status.ObservedGeneration == class.Generation
	})
}

// tenLines is the Database of the design: whatever cloud it is in is the class's business.
func (w *fixture) tenLines(name string) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: w.Meta(name)}
	d.Spec.ClassName = w.Namespace
	d.Spec.Engine, d.Spec.Version, d.Spec.Size = new(v1alpha1.EnginePostgres), new("16"), "small"
	d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: name + "-db"}
	return d
}

func TestClass(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		class := w.databaseClass(c, nil)
		d := w.tenLines("orders")
		d.Spec.Engine, d.Spec.Size, d.Spec.Storage = nil, "", nil // all of that comes from the class
		w.create(d)
		spec := d.Spec.DeepCopy()
		s := w.ready(d)
		name := s.Status.ExternalName
		w.mirrors(d, sizeField[c.Name], `"`+system.Sizes[c.Name][0]+`"`)
		w.mirrors(d, "storage.sizeGiB", "20")
		w.equal("class", s.Status.ClassName, class.Name)
		w.equal("effective", effective(s), map[string]string{
			"size": "small", "defaults": `{"backup":{"retentionDays":3},"deletionPolicy":"Delete","engine":"postgres"}`,
			"sized":    `{"` + c.Name + `":{"` + map[string]string{"aws": "instanceClass", "gcp": "tier"}[c.Name] + `":"` + system.Sizes[c.Name][0] + `"},"storage":{"sizeGiB":20}}`,
			"enforced": `{"tags":{"cost":"shop"}}`,
		})
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(d), d))
		w.equal("the stored spec", &d.Spec, spec)

		w.run("online", func(w *fixture) {
			w.Disturb()
			mark := len(c.Writes(name))
			w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.Defaults.Backup.RetentionDays = new(int32(5)) })
			w.mirrors(d, "backup.retentionDays", "5")
			w.expectWrites(c, name, mark, map[string]string{"aws": "ModifyDBInstance", "gcp": "instances.patch"}[c.Name])
		})
		w.run("disruptive", func(w *fixture) {
			w.Disturb()
			mark := len(c.Writes(name))
			w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.Sizes[0].AWS, s.Sizes[0].GCP = s.Sizes[1].AWS, s.Sizes[1].GCP })
			hash := w.waits(c, d, system.Sizes[c.Name][0], system.Sizes[c.Name][1], v1alpha1.CauseClass)
			w.AwaitObject(class, "the class counts it", func() bool {
				return class.Status.Users == 1 && class.Status.Waiting == 1 && class.Status.UpToDate == 0
			})
			w.expectWrites(c, name, mark)
			w.approve(d, hash)
			w.mirrors(d, sizeField[c.Name], `"`+system.Sizes[c.Name][1]+`"`)
			w.expectWrites(c, name, mark, sizeWrite(c))
			w.AwaitObject(class, "the class counts it", func() bool {
				return class.Status.Users == 1 && class.Status.Waiting == 0 && class.Status.UpToDate == 1
			})
		})
		w.run("fixed", func(w *fixture) {
			mark := len(c.Writes(name))
			w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.Defaults.Engine = new(v1alpha1.EngineMySQL) })
			w.observedAgain(c, name, 3)
			w.ready(d)
			w.expectWrites(c, name, mark)
		})
		w.run("not allowed", func(w *fixture) {
			mark := len(c.Writes(name))
			edit(w, d, func(d *v1alpha1.Database) {
				d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(500))}
			})
			w.stalled(d, v1alpha1.ReasonClassViolated, "spec.storage.sizeGiB", "100 or less")
			w.expectWrites(c, name, mark)
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.Storage = nil })
			w.ready(d)
		})
		w.run("gone", func(w *fixture) {
			mark := len(c.Writes(name))
			w.Must(w.Client.Delete(w.Context(), class))
			w.Disturb()
			s := w.stalled(d, v1alpha1.ReasonClassNotFound, "there is no DatabaseClass")
			if !s.Is(v1alpha1.ConditionAvailable, yes) {
				w.Errorf("it can be used all the same:\n    %v", s)
			}
			w.observedAgain(c, name, 2)
			w.expectWrites(c, name, mark)
			w.delete(d)
			w.awaitDeleted(d)
			if left := c.Databases().Snapshots(w.T, name); len(left) > 0 {
				w.Errorf("the class said deletionPolicy Delete, and there are snapshots: %q", left)
			}
		})
	})
}

func effective(s system.Snapshot) map[string]string {
	e := s.Status.Effective
	if e == nil {
		return nil
	}
	return map[string]string{"size": e.Size, "defaults": string(e.Defaults.Raw), "sized": string(e.Sized.Raw), "enforced": string(e.Enforced.Raw)}
}

// The controller holds the class's rules by itself: here nothing is refused at admission.
func TestClassIsTheLaw(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	class := w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) {
		s.MaxPerNamespace = new(int32(100))
	})
	for _, tt := range []struct {
		name   string
		change func(*v1alpha1.DatabaseSpec)
		reason v1alpha1.Reason
		says   string
	}{
		{"size", func(s *v1alpha1.DatabaseSpec) { s.Size = "huge" }, v1alpha1.ReasonClassViolated, "choose one of small, large"},
		{"own-size", func(s *v1alpha1.DatabaseSpec) {
			s.Size, s.AWS = "", &v1alpha1.DatabaseAWS{InstanceClass: new("db.r6g.16xlarge")}
		}, v1alpha1.ReasonClassViolated, "has sizes, so this field can't be set"},
		{"disk", func(s *v1alpha1.DatabaseSpec) { s.Storage.SizeGiB = new(int32(101)) }, v1alpha1.ReasonClassViolated, "100 or less"},
		{"other-cloud", func(s *v1alpha1.DatabaseSpec) { s.Size, s.GCP = "", &v1alpha1.DatabaseGCP{} }, v1alpha1.ReasonClassViolated, "so spec.gcp can't be set"},
		{"adoption", func(s *v1alpha1.DatabaseSpec) { s.Adoption = v1alpha1.AdoptionIfExists }, v1alpha1.ReasonClassViolated, "does not allow taking over existing cloud objects"},
	} {
		w.run(tt.name, func(w *fixture) {
			d := w.tenLines(tt.name)
			tt.change(&d.Spec)
			w.create(d)
			if s := w.stalled(d, tt.reason, tt.says); s.Status.ExternalName != "" {
				w.Errorf("it was made all the same:\n    %v", s)
			}
		})
	}
	w.run("enforced", func(w *fixture) {
		d := w.tenLines("enforced")
		d.Spec.Tags = map[string]v1alpha1.TagValue{"cost": "bank", "own": "x"}
		w.create(d)
		w.mirrors(d, "tags", `{"cost":"shop","own":"x"}`)
	})
	w.run("one too many", func(w *fixture) {
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.MaxPerNamespace = new(int32(1)) })
		d := w.tenLines("late")
		w.create(d)
		w.stalled(d, v1alpha1.ReasonClassNotAllowed, "the maximum number of objects of class")
		w.Disturb()
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.MaxPerNamespace = nil })
		w.ready(d)
	})
	w.run("another namespace's", func(w *fixture) {
		w.Disturb()
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) {
			s.AllowedNamespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "bank"}}
		})
		d := w.tenLines("elsewhere")
		w.create(d)
		w.stalled(d, v1alpha1.ReasonClassNotAllowed, "is not allowed in namespace "+w.Namespace)
	})
}

// A class that is not there yet is waited for; of classes the default is taken at creation, and stays.
func TestDefaultClass(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.tenLines("early")
	w.create(d)
	w.awaitMissing(d, v1alpha1.ReasonClassNotFound, "there is no DatabaseClass")
	unnamed := w.tenLines("unnamed")
	unnamed.Spec.ClassName = ""
	w.create(unnamed)
	w.awaitMissing(unnamed, v1alpha1.ReasonClassNotFound, "no DatabaseClass is the default")

	w.Disturb()
	class := w.databaseClass(c, nil)
	w.ready(d)
	w.Disturb()
	w.annotate(class, "true")
	s := w.ready(unnamed)
	w.equal("class", s.Status.ClassName, class.Name)
	w.annotate(class, "false")
	w.observedAgain(c, s.Status.ExternalName, 2)
	w.ready(unnamed)
}

func (w *fixture) annotate(class *v1alpha1.DatabaseClass, value string) {
	w.Helper()
	w.Eventually("the class is annotated", func() bool {
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(class), class))
		class.Annotations = map[string]string{v1alpha1.AnnotationDefaultClass: value}
		return w.Client.Update(w.Context(), class) == nil
	})
}

func TestBucketClass(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
		class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = c.Config, &metav1.LabelSelector{}
		class.Spec.Defaults = &v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "a"}}
		class.Spec.Enforced = &v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}
		class.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		w.Must(w.Client.Create(w.Context(), class))
		w.Cleanup(func() { w.Must(client.IgnoreNotFound(w.Client.Delete(suite.Context(), class))) })
		b := &v1alpha1.Bucket{ObjectMeta: w.Meta("photos")}
		b.Spec.ClassName = w.Namespace
		b.Spec.PublicAccess = new(v1alpha1.PublicAccessAllowed)
		w.create(b)
		w.mirrors(b, "versioning", `"Enabled"`)
		w.mirrors(b, "publicAccess", `"Blocked"`)
		name := w.ready(b).Status.ExternalName
		w.delete(b)
		w.awaitDeleted(b)
		if c.Buckets().Tags(w.T, name) == nil {
			w.Error("the class said to retain it, and it is gone")
		}
	})
}
