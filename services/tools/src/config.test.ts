import { ConfigError, loadConfig } from '@fairlead/service-kit/config';
import { expect, test } from 'vitest';
import { toolsConfig } from './config.ts';

const required = {
  MONGODB_URI: 'mongodb://127.0.0.1/?replicaSet=rs',
  NATS_URL: 'nats://127.0.0.1:4222',
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32).toString('base64')}`,
  CATALOG_URL: 'http://127.0.0.1:1',
  PUBLIC_URL: 'http://127.0.0.1:8080',
  GATEWAY_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:2',
  AGENTS_URL: 'http://127.0.0.1:3',
};

test('the documented defaults apply', () => {
  expect(loadConfig(toolsConfig, required)).toMatchObject({
    MONGODB_DATABASE: 'fairlead_tools',
    EGRESS_ALLOW: [],
    EXECUTION_TIMEOUT_MS: 30_000,
    ACCOUNT_CONCURRENCY: 100,
    CONNECTION_CONCURRENCY: 20,
    WORKER_PROCESSES: 8,
    EVALUATION_PROCESSES: 4,
  });
});

test('the egress list is split at its commas', () => {
  const config = loadConfig(toolsConfig, { ...required, EGRESS_ALLOW: '127.0.0.0/8, localhost:5432,' });
  expect(config.EGRESS_ALLOW).toEqual(['127.0.0.0/8', 'localhost:5432']);
});

test('every problem is named at once', () => {
  const broken = {
    ...required,
    CATALOG_URL: 'ftp://x',
    CONNECTIONS_URL: '',
    AGENTS_URL: '',
    EXECUTION_TIMEOUT_MS: 'soon',
    ACCOUNT_CONCURRENCY: '0',
    CONNECTION_CONCURRENCY: '0',
  };
  const load = (): unknown => loadConfig(toolsConfig, broken);
  expect(load).toThrow(ConfigError);
  for (const name of [
    'CATALOG_URL',
    'CONNECTIONS_URL',
    'AGENTS_URL',
    'EXECUTION_TIMEOUT_MS',
    'ACCOUNT_CONCURRENCY',
    'CONNECTION_CONCURRENCY',
  ]) {
    expect(load).toThrow(new RegExp(`^${name}: `, 'm'));
  }
});
