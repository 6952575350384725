import { ConfigError, loadConfig } from '@fairlead/service-kit/config';
import { expect, it } from 'vitest';
import { agentsConfig } from './config.ts';

const environment = {
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32).toString('base64')}`,
  MONGODB_URI: 'mongodb://127.0.0.1/',
  NATS_URL: 'nats://127.0.0.1:4222',
  SEALING_KEYS: `v1:${Buffer.alloc(32, 8).toString('base64')}`,
  CATALOG_URL: 'http://127.0.0.1:1',
  CONNECTIONS_URL: 'http://127.0.0.1:2',
  PUBLIC_URL: 'https://api.test.example/',
};

it('needs its keys, its store and its peers, and has a default for the rest', () => {
  expect(loadConfig(agentsConfig, environment)).toMatchObject({
    MONGODB_DATABASE: 'fairlead_agents',
    PUBLIC_URL: 'https://api.test.example',
  });
  for (const name of Object.keys(environment)) {
    const without = { ...environment, [name]: undefined };
    expect(() => loadConfig(agentsConfig, without)).toThrow(ConfigError);
    expect(() => loadConfig(agentsConfig, without)).toThrow(name);
  }
});

it('needs the address of the replica if it listens on all addresses', () => {
  const everywhere = { ...environment, HOST: '0.0.0.0' };
  expect(() => loadConfig(agentsConfig, everywhere)).toThrow('REPLICA_URL');
  const named = { ...everywhere, REPLICA_URL: 'http://10.0.0.7:8080' };
  expect(loadConfig(agentsConfig, named).REPLICA_URL).toBe('http://10.0.0.7:8080');
});
