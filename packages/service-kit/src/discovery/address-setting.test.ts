import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, loadConfig, peerConfigShape } from '../config.ts';
import { addressesVariable } from './address-setting.ts';

const schema = z.object({ ...peerConfigShape, CATALOG_URL: addressesVariable });

function settingOf(text: string): unknown {
  return loadConfig(schema, { CATALOG_URL: text }).CATALOG_URL;
}

describe('how other services are reached', () => {
  it('one address per replica, separated by commas; connect-fast by default', () => {
    expect(loadConfig(schema, { CATALOG_URL: 'http://a:1' })).toEqual({
      RPC_TRANSPORT: 'connect-fast',
      CATALOG_URL: ['http://a:1'],
    });
    const env = { CATALOG_URL: 'http://a:1, https://b:2', RPC_TRANSPORT: 'grpc' };
    expect(loadConfig(schema, env)).toEqual({
      RPC_TRANSPORT: 'grpc',
      CATALOG_URL: ['http://a:1', 'https://b:2'],
    });
  });

  it('a full name with a port, whether or not it ends with a dot; the name server may be given', () => {
    const setting = {
      kind: 'dns',
      name: 'f-catalog.ns.svc.cluster.local',
      port: 8080,
      nameServer: undefined,
    };
    expect(settingOf('dns:///f-catalog.ns.svc.cluster.local:8080')).toEqual(setting);
    expect(settingOf('dns:///f-catalog.ns.svc.cluster.local.:8080')).toEqual(setting);
    expect(settingOf('dns://127.0.0.1:5353/catalog:1')).toMatchObject({ nameServer: '127.0.0.1:5353' });
    expect(settingOf('dns://[::1]:5353/catalog:1')).toMatchObject({ nameServer: '[::1]:5353' });
  });

  it('a Service of Kubernetes', () => {
    expect(settingOf('kubernetes:///fairlead-catalog.default:8080')).toEqual({
      kind: 'kubernetes',
      service: 'fairlead-catalog',
      namespace: 'default',
      port: 8080,
    });
  });

  it.each([
    'a:1',
    'ftp://a',
    'http://a:1,',
    'http://a:1,b:2',
    'dns:///a',
    'dns:///a:0',
    'dns:///a:65536',
    'dns:///:80',
    'dns:///a:80/path',
    'dns://server/a:80',
    'dns:///a:80,dns:///b:80',
    'http://a:1,dns:///b:80',
    'kubernetes:///a:80',
    'kubernetes:///a.b.c:80',
    'kubernetes:///a.b:http',
    'kubernetes://server/a.b:80',
  ])('%s is refused under its name', (text) => {
    expect(() => loadConfig(schema, { CATALOG_URL: text, RPC_TRANSPORT: 'http' })).toThrow(ConfigError);
    expect(() => settingOf(text)).toThrow(
      'CATALOG_URL: expected http://… or https://…, several separated by commas, or dns:///name:port, or kubernetes:///service.namespace:port',
    );
  });
});
