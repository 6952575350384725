import { describe, expect, it } from 'vitest';
import { hostValueIssue, textIssue, valueIssue } from './field-value.ts';
import type { FieldDescriptor } from './model.ts';
import { compiled, oauthMethod } from './testing/manifest.ts';

const salesforce = { pattern: null, allowedHosts: ['.salesforce.com', 'login.salesforce.com'] };
const anyHost = { pattern: null, allowedHosts: ['*'] };
/** Texts whose host depends on the URL parser. */
const DISGUISES = [
  '127.0.0.1',
  'http://127.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://evil.com#.salesforce.com',
  'https://evil.com/.salesforce.com',
  'https://evil.com?.salesforce.com',
  'https://evil.com\\.salesforce.com',
  'https://a.salesforce.com@evil.com',
  'https://user:pass@a.salesforce.com',
  'https://evilsalesforce.com',
  'https://salesforce.com.evil.com',
  'https://a.salesforce.com.',
  'https://a.salesforce.com\r\nHost: evil.com',
  'https://a.salesforce。com',
  'https://a。salesforce.com',
  'https://a%2esalesforce.com',
  'https://a.salesforce.com:99999',
  '//a.salesforce.com',
  'javascript://a.salesforce.com/%0aalert(1)',
  'ftp://a.salesforce.com',
  'https://',
  '',
];

describe('allowed hosts', () => {
  it.each([
    'https://acme.my.salesforce.com',
    'https://acme.my.salesforce.com/services?'.slice(0, -1),
    'https://login.salesforce.com:443/',
    'acme.my.salesforce.com',
  ])('accept %s', (text) => {
    expect(textIssue(salesforce, text)).toBeUndefined();
  });

  it.each([...DISGUISES, 'http://acme.my.salesforce.com', 'salesforce.com'])('refuse %j', (text) => {
    expect(textIssue(salesforce, text)).toMatch(/must have the host \*\.salesforce\.com/);
  });

  it('need no TLS on the machine itself', () => {
    const local = { pattern: null, allowedHosts: ['127.0.0.1'] };
    expect(textIssue(local, 'http://127.0.0.1:8080/api')).toBeUndefined();
    expect(textIssue(local, 'http://2130706433/api')).toBeUndefined();
    expect(textIssue(local, 'http://127.0.0.2/api')).toMatch(/must have the host/);
  });

  it('that are any take an http or https URL without user, query and fragment', () => {
    expect(textIssue(anyHost, 'http://gitlab.intranet:8080/git')).toBeUndefined();
    for (const text of ['https://a@b', 'https://a.b/?x', 'https://a.b/#x', 'javascript:alert(1)', 'a b']) {
      expect(textIssue(anyHost, text), text).toMatch(/without user, query and fragment/);
    }
  });
});

describe('a pattern', () => {
  it('is matched by the whole of a text', () => {
    const digits = { pattern: '[0-9]{1,4}|x', allowedHosts: [] };
    expect(textIssue(digits, '1234')).toBeUndefined();
    for (const text of ['12345', 'a1', '1\n', 'xx']) expect(textIssue(digits, text)).toMatch(/must match/);
  });
});

describe('a value in a host', () => {
  const connector = compiled({
    kind: 'Regular',
    authenticationMethods: [
      {
        ...oauthMethod,
        isDefault: true,
        fields: [
          ...oauthMethod.fields,
          { name: 'tenant', label: 'T', description: 'T.', isRequired: true, atSignIn: true },
          { name: 'region', label: 'R', description: 'R.', isRequired: true, atSignIn: true },
        ],
        scheme: {
          ...oauthMethod.scheme,
          authorizationUrl: 'https://{{field.tenant}}.zendesk.com/{{field.region}}',
        },
      },
    ],
  });
  const [method] = connector.authenticationMethods;
  if (method === undefined) throw new Error('no method');
  const issueOf = (name: string, value: string) => hostValueIssue(connector, method, name, value);

  it.each(['acme', 'a.b', 'ACME-1', '127.0.0.1'])('may be %s', (value) => {
    expect(issueOf('tenant', value)).toBeUndefined();
  });

  const breakouts = [
    'evil.com#',
    'evil.com/',
    'evil.com?',
    'evil.com\\',
    'a.b@evil',
    'a:80',
    'a\r\nb',
    'a b',
  ];
  const malformed = ['evil。com', 'a..b', '.a', 'a.', '-a', '%2e', '{{field.region}}', 'x'.repeat(64), ''];
  it.each([...breakouts, ...malformed])('may not be %j', (value) => {
    expect(issueOf('tenant', value)).toMatch(/part of a host name/);
  });

  it('is an address where a URL begins with it', () => {
    const based = { ...connector, baseUrl: '{{field.tenant}}/api' };
    for (const value of ['acme.zendesk.com', 'https://user@acme.zendesk.com', 'https://a.b?c']) {
      expect(hostValueIssue(based, { ...method, scheme: { type: 'none' } }, 'tenant', value)).toMatch(
        /http or https URL/,
      );
    }
  });

  it('is told from one in a path, which is percent-encoded', () => {
    expect(issueOf('region', 'evil.com#')).toBeUndefined();
  });
});

describe('the value of a field', () => {
  const field = (over: Partial<FieldDescriptor>): FieldDescriptor => ({
    name: 'f',
    label: 'F',
    description: 'F.',
    type: 'string',
    isRequired: false,
    isPassword: false,
    maskInLogs: false,
    defaultValue: null,
    options: [],
    providerSlot: null,
    dynamicOptions: null,
    atSignIn: false,
    capturedFrom: null,
    pattern: null,
    allowedHosts: [],
    help: null,
    helpUrl: null,
    translations: {},
    ...over,
  });

  it('has its type, its options and its pattern', () => {
    const options = [{ value: 'eu', label: 'Europe', translations: {} }];
    expect(valueIssue(field({}), 1)).toBe('must be a string');
    expect(valueIssue(field({ pattern: '[a-z]+' }), 'A')).toBe('must match [a-z]+');
    expect(valueIssue(field({ type: 'number' }), '1')).toBe('must be a number');
    expect(valueIssue(field({ type: 'boolean' }), 'x')).toBe('must be true or false');
    expect(valueIssue(field({ type: 'select', options }), 'us')).toBe('must be one of eu');
    expect(valueIssue(field({ type: 'select', options }), 'eu')).toBeUndefined();
    expect(valueIssue(field({ type: 'json' }), {})).toBeUndefined();
  });
});
