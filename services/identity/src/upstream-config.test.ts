import { ConfigError, loadConfig } from '@fairlead/service-kit/config';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { upstreamConfigShape, upstreamSettings } from './upstream-config.ts';
import type { UpstreamSettings } from './upstream-config.ts';

const ALL = {
  UPSTREAM_OIDC_ISSUER: 'https://id.example.com/realms/main',
  UPSTREAM_OIDC_CLIENT_ID: 'fairlead',
  UPSTREAM_OIDC_CLIENT_SECRET: 'a secret of ours',
};

const settingsOf = (env: Record<string, string>): UpstreamSettings | undefined =>
  upstreamSettings(loadConfig(z.object(upstreamConfigShape), env));

describe('the upstream provider of the configuration', () => {
  test('unset: there is none', () => {
    expect(settingsOf({})).toBeUndefined();
  });

  test('its name is the host of the issuer, unless one is given; its secret never shows', () => {
    const settings = settingsOf(ALL);
    expect(settings?.name).toBe('id.example.com');
    expect(settings?.clientSecret.reveal()).toBe('a secret of ours');
    expect(JSON.stringify(settings)).not.toContain('a secret of ours');
    expect(settingsOf({ ...ALL, UPSTREAM_OIDC_NAME: 'Example ID' })?.name).toBe('Example ID');
  });

  test.each(Object.keys(ALL))('without %s it is refused at boot', (name) => {
    const rest = Object.fromEntries(Object.entries(ALL).filter(([key]) => key !== name));
    expect(() => settingsOf(rest)).toThrow(ConfigError);
  });

  test.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'https://id.example.com'])(
    'the issuer %s is taken',
    (issuer) => {
      expect(settingsOf({ ...ALL, UPSTREAM_OIDC_ISSUER: issuer })?.issuer.origin).toBe(issuer);
    },
  );

  test.each(['http://id.example.com', 'ftp://id.example.com', 'id.example.com'])(
    'the issuer %s is refused at boot',
    (issuer) => {
      expect(() => settingsOf({ ...ALL, UPSTREAM_OIDC_ISSUER: issuer })).toThrow(/UPSTREAM_OIDC_ISSUER/);
    },
  );
});
