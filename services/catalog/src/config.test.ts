import { ConfigError, loadConfig } from '@fairlead/service-kit/config';
import { describe, expect, it } from 'vitest';
import { catalogConfig } from './config.ts';

const environment = {
  CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32).toString('base64')}`,
  MONGODB_URI: 'mongodb://127.0.0.1/',
  NATS_URL: 'nats://127.0.0.1:4222',
  CATALOGUE_PATH: '/catalogue.json',
};

describe('the configuration', () => {
  it('needs the key, MongoDB and the catalogue, and has a default for the rest', () => {
    expect(loadConfig(catalogConfig, environment)).toMatchObject({
      MONGODB_DATABASE: 'fairlead_catalog',
      CONNECTOR_SETTINGS: {},
      ACCOUNT_CACHE_MB: 64,
    });
    expect(() => loadConfig(catalogConfig, {})).toThrow(ConfigError);
    expect(() => loadConfig(catalogConfig, {})).toThrow(/CATALOGUE_PATH/);
  });

  it('accepts settings of connectors as JSON', () => {
    const settings = '{"sandbox-crm":{"baseUrl":"http://127.0.0.1:9000"}}';
    expect(
      loadConfig(catalogConfig, { ...environment, CONNECTOR_SETTINGS: settings }).CONNECTOR_SETTINGS,
    ).toEqual({
      'sandbox-crm': { baseUrl: 'http://127.0.0.1:9000' },
    });
    expect(() => loadConfig(catalogConfig, { ...environment, CONNECTOR_SETTINGS: '{"a":1}' })).toThrow(
      /CONNECTOR_SETTINGS/,
    );
  });
});
