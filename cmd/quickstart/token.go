package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/oauth2/google"
)

const (
	tokenFile   = "gcp-token"
	tokenScope  = "https://www.googleapis.com/auth/cloud-platform"
	tokenPeriod = 30 * time.Minute // half of its life
)

// keepToken writes an access token of the local Google Cloud, for curl and gcloud: gcloud would take the
// service account's key to Google's own token service, whatever the key says.
func (f *accessFiles) keepToken(ctx context.Context) error {
	if err := f.writeToken(ctx); err != nil {
		return err
	}
	go func() {
		for pause(ctx, tokenPeriod) {
			if err := f.writeToken(ctx); err != nil {
				f.step("%v", err)
			}
		}
	}()
	return nil
}

func (f *accessFiles) writeToken(ctx context.Context) error {
	config, err := google.JWTConfigFromJSON(f.clouds.GCPKey(gcpProject), tokenScope)
	if err != nil {
		return fmt.Errorf("get an access token: %w", err)
	}
	token, err := config.TokenSource(ctx).Token()
	if err != nil {
		return fmt.Errorf("get an access token: %w", err)
	}
	return os.WriteFile(f.folder.file(tokenFile), []byte(token.AccessToken+"\n"), 0o600)
}
