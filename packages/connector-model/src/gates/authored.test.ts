import { describe, expect, it } from 'vitest';
import { fiveTools as tools, problemsOf } from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

describe('the addresses of an application with `hosts`', () => {
  const field = (members: Members): Members => ({
    name: 'tenant',
    label: 'Tenant',
    description: 'The tenant.',
    isRequired: true,
    ...members,
  });
  const problemsAt = (baseUrl: string, tenant: Members): readonly string[] =>
    problemsOf({
      kind: 'Regular',
      hosts: ['acme.test', 'acme.example'],
      baseUrl,
      tools,
      authenticationMethods: [
        {
          authenticationId: 0,
          authenticationName: 'Key',
          isDefault: true,
          fields: [field({ ...tenant, isPassword: false })],
          scheme: { type: 'none' },
        },
      ],
    })
      .filter(({ message }) => message.startsWith('must be an https address within'))
      .map(({ path }) => path);

  it.each<[address: string, tenant: Members]>([
    ['https://api.acme.test/v1', {}],
    ['https://{{field.tenant}}.acme.test/v1', { pattern: '[a-z]+' }],
    ['https://{{field.tenant}}-live.acme.test/v1', { pattern: '[a-z]+' }],
    [
      'https://api.acme.{{field.tenant}}/v1',
      { type: 'select', options: ['test', 'example'].map((value) => ({ value, label: value })) },
    ],
    ['{{field.tenant}}/v1', { allowedHosts: ['.acme.test', 'api.acme.example'] }],
    ['https://{{field.tenant}}/v1', { allowedHosts: ['*'] }],
  ])('%s is within them', (address, tenant) => {
    expect(problemsAt(address, tenant)).toEqual([]);
  });

  it.each<[address: string, tenant: Members]>([
    ['http://api.acme.test/v1', {}],
    ['https://evilacme.test/v1', {}],
    ['https://{{field.tenant}}.other.test/v1', { pattern: '[a-z]+' }],
    ['https://{{field.tenant}}acme.test/v1', { pattern: '[a-z]+' }],
    [
      'https://api.acme.{{field.tenant}}/v1',
      { type: 'select', options: ['test', 'evil'].map((value) => ({ value, label: value })) },
    ],
    ['{{field.tenant}}/v1', { allowedHosts: ['.acme.test', '.evil.test'] }],
    ['{{field.tenant}}/v1', { allowedHosts: ['*'] }],
  ])('%s is not', (address, tenant) => {
    expect(problemsAt(address, tenant)).toEqual(['baseUrl']);
  });
});

it('an application with `hosts` has at least five tools, and no `source`', () => {
  const hosts = { hosts: ['acme.test'], baseUrl: 'https://acme.test' };
  expect(problemsOf({ ...hosts, tools })).toEqual([]);
  expect(problemsOf({ ...hosts, tools: tools.slice(1) })).toMatchObject([{ path: 'tools' }]);
});
