import { loadConfig } from '@fairlead/service-kit/config';
import { expect, test } from 'vitest';
import { gatewayConfig } from './config.ts';

const environment = {
  CALLER_CONTEXT_KEY: Buffer.alloc(32).toString('base64'),
  MONGODB_URI: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  CATALOG_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:2',
  TOOLS_URL: 'http://127.0.0.1:3',
  PUBLIC_URL: 'https://api.test.example/',
};

test('what is required is enough; the rest has the documented defaults', () => {
  expect(loadConfig(gatewayConfig, environment)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 0,
    MONGODB_DATABASE: 'fairlead_gateway',
    PUBLIC_URL: 'https://api.test.example',
    REQUEST_TIMEOUT_MS: 120_000,
    NODE_ENV: 'development',
  });
});

test('every problem is named at once', () => {
  const broken = { ...environment, CATALOG_URL: 'catalog', PUBLIC_URL: undefined, REQUEST_TIMEOUT_MS: '1' };
  expect(() => loadConfig(gatewayConfig, broken)).toThrow(
    /CATALOG_URL: [^\n]+\n[^]*PUBLIC_URL: [^\n]+\n[^]*REQUEST_TIMEOUT_MS: /,
  );
});
