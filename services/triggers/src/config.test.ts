import { loadConfig } from '@fairlead/service-kit/config';
import { expect, test } from 'vitest';
import { triggersConfig } from './config.ts';

const environment = {
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32).toString('base64')}`,
  MONGODB_URI: 'mongodb://127.0.0.1:27017',
  NATS_URL: 'nats://127.0.0.1:4222',
  CATALOG_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:2',
  TOOLS_URL: 'http://127.0.0.1:4',
  DELIVERY_URL: 'http://127.0.0.1:3',
  PUBLIC_URL: 'https://api.test.example/',
  SEALING_KEYS: `v1:${Buffer.alloc(32, 7).toString('base64')}`,
};

test('what is required is enough; the rest has the documented defaults', () => {
  expect(loadConfig(triggersConfig, environment)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 0,
    MONGODB_DATABASE: 'fairlead_triggers',
    PUBLIC_URL: 'https://api.test.example',
    EVALUATION_PROCESSES: 4,
  });
});
