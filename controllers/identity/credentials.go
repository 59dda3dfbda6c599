package identity

import (
	"context"
	"errors"
)

// credentials reads what an identity begins with, and keeps the retained copy of a Secret up to date with it.
type credentials struct {
	secrets  secrets
	accounts serviceAccounts
	copies   *copies
	renewer  *renewer
}

// read reads the Secret of a config, or asks whether its ServiceAccount is to be used; ambient credentials are there
// anyway. A deletion may use the private copy in their place; then missing says what is wrong with them.
func (c *credentials) read(ctx context.Context, cfg *config, t tenant, deleting bool) (data map[string][]byte, missing, err error) {
	if web := cfg.chain.WebIdentity; web != nil {
		err = c.accounts.checkConsent(ctx, t.namespace, web.ServiceAccountName)
		if refusal, refused := errors.AsType[*ValidationError](err); refused && deleting {
			_, err := c.copies.token(ctx, cfg, cfg.tokenKey(t), refusal)
			return nil, refusal, err
		}
		return nil, nil, err
	}
	if cfg.secret == nil {
		return nil, nil, nil
	}
	data, err = c.secrets.read(ctx, cfg)
	if _, refused := errors.AsType[*ValidationError](err); refused && deleting {
		copied, copyErr := c.copies.read(ctx, cfg)
		if copyErr != nil {
			return nil, nil, copyErr
		}
		if missingKey(cfg, copied) == "" {
			return copied, err, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if hasFinalizer(cfg) {
		if err := c.renewer.renewSecret(ctx, cfg, data); err != nil {
			return nil, nil, err
		}
	}
	return data, nil, nil
}
