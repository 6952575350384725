import { inspect } from 'node:util';
import { loadConfig } from '@fairlead/service-kit/config';
import { describe, expect, test } from 'vitest';
import { identityConfig } from './config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const env = {
  CALLER_CONTEXT_KEYS: `v1:${key}`,
  MONGODB_URI: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1',
  PUBLIC_URL: 'https://fairlead.example/',
  SEALING_KEYS: `v1:${key}`,
};

test('settings with a default may be omitted', () => {
  expect(loadConfig(identityConfig, env)).toMatchObject({
    MONGODB_DATABASE: 'fairlead_identity',
    OAUTH_KEY_ROTATION_DAYS: 90,
    OAUTH_REFRESH_GRACE_SECONDS: 30,
    OAUTH_REGISTRATIONS_PER_HOUR: 20,
    OAUTH_MAX_UNUSED_CLIENTS: 10_000,
    EGRESS_ALLOW: [],
  });
});

describe('the public address', () => {
  test('is read without its trailing slash', () => {
    expect(loadConfig(identityConfig, env).PUBLIC_URL).toBe('https://fairlead.example');
  });

  test('has no path: the metadata and the forms of the pages are at the root of the host', () => {
    const load = () => loadConfig(identityConfig, { ...env, PUBLIC_URL: 'https://fairlead.example/base' });
    expect(load).toThrow('PUBLIC_URL: expected an address without a path');
  });
});

test('every problem is listed at once, and no secret is shown', () => {
  const wrong = { ...env, SEALING_KEYS: 'v1:dG9vc2hvcnQ=', OAUTH_KEY_ROTATION_DAYS: '0', NATS_URL: '' };
  const load = () => loadConfig(identityConfig, wrong);
  expect(load).toThrow(/^(?=[^]*SEALING_KEYS: key v1 has)(?=[^]*OAUTH_KEY_ROTATION_DAYS)(?=[^]*NATS_URL)/);
  expect(load).not.toThrow('dG9vc2hvcnQ');
  const config = loadConfig(identityConfig, { ...env, UPSTREAM_OIDC_CLIENT_SECRET: 's3cr3t' });
  expect(inspect(config, { depth: 9 })).not.toContain('s3cr3t');
});
