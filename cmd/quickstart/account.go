package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// accountPatience is how long a config may take to become Ready; it takes a tenth of a second.
const accountPatience = 30 * time.Second

// accounts are the provider configs that lead to the local clouds.
type accounts struct {
	*transcript
	client client.Client
	clouds *clouds
	log    string // the controller's
}

// open makes the ClusterProviderConfigs aws and gcp, which lead to the local clouds and are open to
// every namespace, and returns when the controller has confirmed both.
func (a *accounts) open(ctx context.Context) error {
	id, secret := a.clouds.AWSKeys(awsAccount)
	for _, account := range []struct {
		name        string
		account     v1alpha1.Account
		endpoint    string
		credentials map[string]string
	}{
		{"aws", v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: awsRegion, AccountID: awsAccount}}, a.clouds.AWSEndpoint(), map[string]string{
			v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret,
		}},
		{"gcp", v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: gcpProject, Region: gcpRegion}}, a.clouds.GCPEndpoint(), map[string]string{
			v1alpha1.SecretKeyGCPCredentials: string(a.clouds.GCPKey(gcpProject)),
		}},
	} {
		objects := []client.Object{
			&corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: account.name},
				StringData: account.credentials,
			},
			&v1alpha1.ClusterProviderConfig{
				ObjectMeta: metav1.ObjectMeta{Name: account.name},
				Spec: v1alpha1.ClusterProviderConfigSpec{
					Account: account.account, Endpoint: account.endpoint, DirectUse: true,
					Credentials:       v1alpha1.ClusterCredentials{SecretRef: &v1alpha1.LocalSecretReference{Name: account.name}},
					AllowedNamespaces: &metav1.LabelSelector{},
				},
			},
		}
		for _, object := range objects {
			if err := a.client.Create(ctx, object); err != nil {
				return fmt.Errorf("make ClusterProviderConfig %s: %w", account.name, err)
			}
		}
	}
	return errors.Join(a.confirmed(ctx, "aws"), a.confirmed(ctx, "gcp"))
}

// confirmed waits until the controller says that a config's credentials lead to its account.
func (a *accounts) confirmed(ctx context.Context, name string) error {
	config := &v1alpha1.ClusterProviderConfig{}
	ready := func(ctx context.Context) (bool, error) {
		err := a.client.Get(ctx, client.ObjectKey{Name: name}, config)
		return meta.IsStatusConditionTrue(config.Status.Conditions, v1alpha1.ConditionReady), err
	}
	if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, accountPatience, true, ready); err != nil {
		said := "nothing"
		if c := meta.FindStatusCondition(config.Status.Conditions, v1alpha1.ConditionReady); c != nil {
			said = c.Reason + ": " + c.Message
		}
		return fmt.Errorf("wait for ClusterProviderConfig %s: %w; it says %s; the controller's log is %s", name, err, said, a.log)
	}
	a.step("ClusterProviderConfig %s: Ready, account %s", name, config.Status.AccountID)
	return nil
}
