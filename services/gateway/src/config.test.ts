import { loadConfig } from '@fairlead/service-kit/config';
import { expect, test } from 'vitest';
import { gatewayConfig } from './config.ts';

const environment = {
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32).toString('base64')}`,
  MONGODB_URI: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  IDENTITY_URL: 'http://127.0.0.1:4,http://127.0.0.1:5',
  CATALOG_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:2',
  TOOLS_URL: 'http://127.0.0.1:3',
  TRIGGERS_URL: 'http://127.0.0.1:6',
  DELIVERY_URL: 'http://127.0.0.1:7',
  AGENTS_URL: 'http://127.0.0.1:9',
  MCP_URL: 'http://127.0.0.1:8',
  PUBLIC_URL: 'https://api.test.example/',
  SEALING_KEYS: `v1:${Buffer.alloc(32, 8).toString('base64')}`,
  AUDIT_KEYS: `v1:${Buffer.alloc(32, 9).toString('base64')}`,
  MCP_SESSION_KEYS: `v1:${Buffer.alloc(32, 10).toString('base64')}`,
};

test('what is required is enough; the rest has the documented defaults', () => {
  expect(loadConfig(gatewayConfig, environment)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 0,
    MONGODB_DATABASE: 'fairlead_gateway',
    PUBLIC_URL: 'https://api.test.example',
    IDENTITY_URL: ['http://127.0.0.1:4', 'http://127.0.0.1:5'],
    TRUSTED_PROXY_HOPS: 0,
    REQUEST_TIMEOUT_MS: 120_000,
    RUN_TIMEOUT_MS: 360_000,
    MCP_ALLOWED_ORIGINS: [],
    NODE_ENV: 'development',
  });
});

test('the sites of MCP clients are origins', () => {
  const configOf = (MCP_ALLOWED_ORIGINS: string) =>
    loadConfig(gatewayConfig, { ...environment, MCP_ALLOWED_ORIGINS });
  expect(configOf('https://a.example, http://b.example:8080')).toMatchObject({
    MCP_ALLOWED_ORIGINS: ['https://a.example', 'http://b.example:8080'],
  });
  for (const text of ['a.example', 'https://a.example/', '*', 'https://a.example,'])
    expect(() => configOf(text)).toThrow('MCP_ALLOWED_ORIGINS: expected origins such as https://app.example');
});

test('every problem is named at once', () => {
  const broken = {
    ...environment,
    OPERATOR_KEY: 'short',
    CATALOG_URL: 'catalog',
    PUBLIC_URL: undefined,
    REQUEST_TIMEOUT_MS: '1',
  };
  expect(() => loadConfig(gatewayConfig, broken)).toThrow(
    /OPERATOR_KEY: expected at least 32 characters\n[^]*CATALOG_URL: [^\n]+\n[^]*PUBLIC_URL: [^\n]+\n[^]*REQUEST_TIMEOUT_MS: /,
  );
});

test('a public address with a path is refused: metadata stands at the root of a host', () => {
  const below = { ...environment, PUBLIC_URL: 'https://test.example/fairlead' };
  expect(() => loadConfig(gatewayConfig, below)).toThrow('PUBLIC_URL: expected an address without a path');
});

test('the gateway does not start without a key of the audit chain', () => {
  const { AUDIT_KEYS: _absent, ...keyless } = environment;
  for (const NODE_ENV of ['production', 'development'])
    expect(() => loadConfig(gatewayConfig, { ...keyless, NODE_ENV })).toThrow(
      'AUDIT_KEYS: required, but not set',
    );
  const AUDIT_KEYED_SINCE = '2026-11-28T01:00:00+01:00';
  expect(loadConfig(gatewayConfig, { ...environment, AUDIT_KEYED_SINCE })).toMatchObject({
    AUDIT_KEYED_SINCE: new Date('2026-11-28T00:00:00Z'),
  });
});
