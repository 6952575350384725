import { inspect } from 'node:util';
import { loadConfig } from '@fairlead/service-kit/config';
import { expect, test } from 'vitest';
import { createConfiguredClients } from './clients/configured-clients.ts';
import { signInAddresses } from './domain/sign-in-addresses.ts';
import { connectionsConfig } from './config.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const env = {
  CALLER_CONTEXT_KEYS: `v1:${key}`,
  MONGODB_URI: 'mongodb://127.0.0.1',
  NATS_URL: 'nats://127.0.0.1:4222',
  CATALOG_URL: 'http://127.0.0.1:1',
  IDENTITY_URL: 'http://127.0.0.1:2',
  PUBLIC_URL: 'http://127.0.0.1:8080',
  SEALING_KEYS: `v1:${key}`,
};
const clients =
  '{"crm":{"0":{"clientId":"id","clientSecret":"s3cr3t"},"2":{"clientId":"id2","clientSecret":"s2"}}}';

test('settings with a default may be omitted', () => {
  expect(loadConfig(connectionsConfig, env)).toMatchObject({
    MONGODB_DATABASE: 'fairlead_connections',
    CONNECTOR_OAUTH_CLIENTS: {},
    EGRESS_ALLOW: [],
    ACCOUNT_CONCURRENCY: 100,
    CONNECTION_CONCURRENCY: 20,
  });
});

test('the own clients are found by application and method, and their secrets do not show', () => {
  const config = loadConfig(connectionsConfig, { ...env, CONNECTOR_OAUTH_CLIENTS: clients });
  expect(inspect(config, { depth: 9 })).not.toContain('s3cr3t');
  const own = createConfiguredClients(config.CONNECTOR_OAUTH_CLIENTS);
  expect(own.find('crm', 0)).toEqual({ clientId: 'id', clientSecret: 's3cr3t' });
  expect([own.find('crm', 1), own.find('toString', 0)]).toEqual([undefined, undefined]);
  expect(own.methods()).toEqual([
    { applicationSlug: 'crm', authenticationId: 0 },
    { applicationSlug: 'crm', authenticationId: 2 },
  ]);
});

test('every problem is listed at once, and no key is shown', () => {
  const wrong = {
    ...env,
    PUBLIC_URL: 'nowhere',
    SEALING_KEYS: 'v1:dG9vc2hvcnQ=',
    CONNECTOR_OAUTH_CLIENTS: '{"crm":{"x":1}}',
  };
  const load = () => loadConfig(connectionsConfig, { ...wrong, CATALOG_URL: '' });
  expect(load).toThrow(
    /^(?=[^]*PUBLIC_URL)(?=[^]*SEALING_KEYS: key v1 has)(?=[^]*CATALOG_URL)(?=[^]*CONNECTOR_OAUTH_CLIENTS)/,
  );
  expect(load).not.toThrow('dG9vc2hvcnQ');
});

test('the operator has no client for MCP servers: any account would choose who gets its secret', () => {
  const wrong = { ...env, CONNECTOR_OAUTH_CLIENTS: clients.replace('crm', 'mcp') };
  expect(() => loadConfig(connectionsConfig, wrong)).toThrow(/CONNECTOR_OAUTH_CLIENTS[^]*mcp has no client/);
});

test('the sign-in pages are under the public URL, with or without a trailing slash', () => {
  for (const publicUrl of ['https://x.example/base', 'https://x.example/base/']) {
    const pages = signInAddresses(publicUrl);
    expect(pages.redirectUri).toBe('https://x.example/base/connect/callback');
    expect(pages.clientDocument?.redirectUri).toBe('https://x.example/base/connect/callback/client');
    expect(pages.redirectUriAt('https://a.example')).toMatch(
      /^https:\/\/x\.example\/base\/connect\/callback\/[\w-]{43}$/,
    );
    expect(pages.signInUrl('s-1')).toBe('https://x.example/base/connect/start/s-1');
  }
});
