import { describe, expect, it } from 'vitest';
import {
  apiKeyMethod,
  clientCredentialsMethod,
  compiled,
  getThing,
  oauthMethod,
  problemsOf,
} from '../testing/manifest.ts';
import type { Members } from '../testing/manifest.ts';

/** A manifest whose second method is a sign-in with this field and these members. */
function signIn(field: Members | undefined, scheme: Members = {}, more: Members = {}): Members {
  const { authenticationMethod, ...manifest } = { authenticationMethod: {}, ...more };
  return {
    kind: 'Regular',
    authenticationMethods: [
      apiKeyMethod,
      {
        ...oauthMethod,
        fields: [...oauthMethod.fields, ...(field === undefined ? [] : [named(field)])],
        scheme: { ...oauthMethod.scheme, ...scheme },
        ...(authenticationMethod as Members),
      },
    ],
    ...manifest,
  };
}

function named(field: Members): Members {
  return { name: 'tenant', label: 'Tenant', description: 'The tenant.', ...field };
}

const atSignIn = { atSignIn: true, isRequired: true };
const callback = (parameter: string): Members => ({ capturedFrom: { type: 'callback', parameter } });
const tokenResponse = (pointer: string): Members => ({ capturedFrom: { type: 'tokenResponse', pointer } });
const field = 'authenticationMethods[1].fields[2]';
const scheme = 'authenticationMethods[1].scheme';

describe('the manifest of', () => {
  it.each<[vendor: string, manifest: Members]>([
    [
      'Zendesk, whose addresses hold the subdomain of the tenant',
      signIn(
        { ...atSignIn, pattern: '[a-z0-9][a-z0-9-]{0,62}' },
        {
          authorizationUrl: 'https://{{field.tenant}}.zendesk.com/oauth/authorizations/new',
          tokenUrl: 'https://{{field.tenant}}.zendesk.com/oauth/tokens',
        },
        { authenticationMethod: { baseUrl: 'https://{{field.tenant}}.zendesk.com/api/v2' } },
      ),
    ],
    [
      'Entra ID, whose addresses hold the tenant in their path',
      signIn(
        { atSignIn: true, defaultValue: 'common' },
        {
          authorizationUrl: 'https://login.microsoftonline.com/{{field.tenant}}/oauth2/v2.0/authorize',
          tokenUrl: 'https://login.microsoftonline.com/{{field.tenant}}/oauth2/v2.0/token',
        },
      ),
    ],
    [
      'QuickBooks, whose callback has the company',
      signIn(
        { ...callback('realmId'), isRequired: true, pattern: '[0-9]{1,20}' },
        {},
        {
          authenticationMethod: { baseUrl: 'https://quickbooks.api.intuit.com/v3/company/{{field.tenant}}' },
        },
      ),
    ],
    [
      'Salesforce, whose token response has the address of the API',
      signIn(
        { ...tokenResponse('/instance_url'), isRequired: true, allowedHosts: ['.salesforce.com'] },
        {},
        { authenticationMethod: { baseUrl: '{{field.tenant}}/services/data/v61.0' } },
      ),
    ],
    [
      'Zoho, whose callback has the address of the token endpoint',
      signIn(
        {
          ...callback('accounts-server'),
          isRequired: true,
          allowedHosts: ['accounts.zoho.com', 'accounts.zoho.eu'],
        },
        { tokenUrl: '{{field.tenant}}/oauth/v2/token' },
      ),
    ],
    [
      'Zoho by region, which are options',
      signIn(
        {
          ...atSignIn,
          type: 'select',
          options: ['com', 'eu', 'com.au'].map((value) => ({ value, label: value })),
        },
        { tokenUrl: 'https://accounts.zoho.{{field.tenant}}/oauth/v2/token' },
      ),
    ],
    [
      'a self-hosted GitLab, whose address an auth provider holds',
      signIn(
        { providerSlot: 'BaseUrl', allowedHosts: ['*'], defaultValue: 'https://gitlab.com' },
        { authorizationUrl: '{{field.tenant}}/oauth/authorize', tokenUrl: '{{field.tenant}}/oauth/token' },
        { authenticationMethod: { baseUrl: '{{field.tenant}}/api/v4' } },
      ),
    ],
    [
      'Jira, whose methods have different base addresses',
      signIn(
        undefined,
        {},
        {
          baseUrl: 'https://api.acme.test',
          authenticationMethod: { baseUrl: 'https://api.atlassian.com/ex/jira' },
        },
      ),
    ],
  ])('%s compiles', (_vendor, manifest) => {
    expect(compiled(manifest).slug).toBe('acme');
  });

  it.each<[fault: string, manifest: Members, path: string, message: RegExp]>([
    [
      'a value that may be any host',
      signIn(atSignIn, { tokenUrl: '{{field.tenant}}/token' }),
      `${scheme}.tokenUrl`,
      /tenant.*can lead it to any host/,
    ],
    [
      'a host that a value ends',
      signIn(atSignIn, { authorizationUrl: 'https://login.{{field.tenant}}/auth' }),
      `${scheme}.authorizationUrl`,
      /fixed suffix such as \.vendor\.com/,
    ],
    [
      'a host that a value and a port end',
      signIn(atSignIn, { tokenUrl: 'https://login.{{field.tenant}}:8443/auth' }),
      `${scheme}.tokenUrl`,
      /can lead it to any host/,
    ],
    [
      'a revocation endpoint that may have any host',
      signIn(atSignIn, { revocation: { url: 'https://{{field.tenant}}/revoke' } }),
      `${scheme}.revocation.url`,
      /can lead it to any host/,
    ],
    [
      'a host whose suffix is a top-level domain',
      signIn(atSignIn, { tokenUrl: 'https://{{field.tenant}}.com/token' }),
      `${scheme}.tokenUrl`,
      /can lead it to any host/,
    ],
    [
      'a host that a captured value makes up',
      signIn({ ...tokenResponse('/url'), isRequired: true }, {}, { baseUrl: '{{field.tenant}}/v1' }),
      'baseUrl',
      /can lead it to any host/,
    ],
    [
      "a tool's address that a captured value makes up",
      signIn(
        { ...tokenResponse('/url'), isRequired: true },
        {},
        { tools: [{ ...getThing, request: { url: '{{field.tenant}}/{{input.id}}' } }] },
      ),
      'tools[0].request.url',
      /can lead it to any host/,
    ],
    [
      "a tool's host that an input makes up",
      signIn(undefined, {}, { tools: [{ ...getThing, request: { url: 'https://{{input.id}}/x' } }] }),
      'tools[0].request.url',
      /input\.id.*must not be in the host/,
    ],
    [
      "a tool's host that an input begins, which has the name of a field with fixed hosts",
      signIn(
        { ...atSignIn, allowedHosts: ['.acme.test'] },
        { tokenUrl: '{{field.tenant}}/token' },
        {
          tools: [
            {
              ...getThing,
              inputSchema: { type: 'object', properties: { tenant: { type: 'string' } } },
              request: { url: 'https://{{input.tenant}}.acme.test/x' },
            },
          ],
        },
      ),
      'tools[0].request.url',
      /input\.tenant.*must not be in the host/,
    ],
    [
      "a tool's host that an auth provider makes up, although no other address has it",
      signIn(
        { providerSlot: 'BaseUrl', isRequired: true },
        {},
        { tools: [{ ...getThing, request: { url: 'https://{{field.tenant}}.acme.test/{{input.id}}' } }] },
      ),
      'tools[0].request.url',
      /allowedHosts must be declared/,
    ],
    [
      'any host for a value that the caller gives',
      signIn({ ...atSignIn, allowedHosts: ['*'] }, { tokenUrl: '{{field.tenant}}/token' }),
      `${field}.allowedHosts`,
      /only in a field with a providerSlot/,
    ],
    [
      'allowed hosts of a whole top-level domain',
      signIn({ ...atSignIn, allowedHosts: ['.com'] }),
      `${field}.allowedHosts[0]`,
      /must name a vendor/,
    ],
    [
      'an allowed host that is an address',
      signIn({ ...atSignIn, allowedHosts: ['https://acme.test'] }),
      `${field}.allowedHosts[0]`,
      /api\.vendor\.com/,
    ],
    [
      'a value that may be missing in a URL of the sign-in',
      signIn({ atSignIn: true }, { tokenUrl: 'https://{{field.tenant}}.acme.test/token' }),
      `${scheme}.tokenUrl`,
      /must be required or have a default/,
    ],
    [
      'an authorize address that needs what the callback brings',
      signIn(
        { ...callback('realmId'), isRequired: true },
        { authorizationUrl: 'https://acme.test/{{field.tenant}}' },
      ),
      `${scheme}.authorizationUrl`,
      /has no value yet/,
    ],
    [
      'an exchange that needs what its response brings',
      signIn(
        { ...tokenResponse('/id'), isRequired: true },
        {
          exchange: {
            url: 'https://acme.test/{{field.tenant}}',
            grantType: 'fb_exchange_token',
            tokenParameter: 'fb_exchange_token',
          },
        },
      ),
      `${scheme}.exchange.url`,
      /has no value yet/,
    ],
    [
      'a token endpoint that needs what its own response brings',
      signIn(
        { ...tokenResponse('/id'), isRequired: true },
        { tokenUrl: 'https://acme.test/{{field.tenant}}' },
      ),
      `${scheme}.tokenUrl`,
      /has no value yet/,
    ],
    [
      'a field with two sources',
      signIn({ ...atSignIn, providerSlot: 'BaseUrl' }),
      field,
      /only one of providerSlot/,
    ],
    [
      'a captured value with a default',
      signIn({ ...callback('realmId'), defaultValue: '1' }),
      `${field}.defaultValue`,
      /must not have a default/,
    ],
    [
      'a captured value of type number',
      signIn({ ...callback('realmId'), type: 'number' }),
      `${field}.type`,
      /string or select/,
    ],
    [
      'a pattern of a number',
      signIn({ ...atSignIn, type: 'number', pattern: '[0-9]+' }),
      `${field}.pattern`,
      /type string/,
    ],
    [
      'a pattern that a value can make slow',
      signIn({ ...atSignIn, pattern: '(?:[a-z]+-?)*' }),
      `${field}.pattern`,
      /quickly/,
    ],
    [
      'a secret that the vendor lists',
      signIn({
        type: 'select',
        isPassword: true,
        dynamicOptions: { request: { url: '/x' }, itemsPointer: '', valuePointer: '', labelPointer: '' },
      }),
      `${field}.dynamicOptions`,
      /none is a secret/,
    ],
    [
      'atSignIn without a sign-in',
      {
        kind: 'Regular',
        authenticationMethods: [
          apiKeyMethod,
          { ...clientCredentialsMethod, fields: [...oauthMethod.fields, named(atSignIn)] },
        ],
      },
      `${field}.atSignIn`,
      /only for methods with a sign-in/,
    ],
    [
      'a callback without a sign-in',
      {
        kind: 'Regular',
        authenticationMethods: [
          apiKeyMethod,
          { ...clientCredentialsMethod, fields: [...oauthMethod.fields, named(callback('realmId'))] },
        ],
      },
      `${field}.capturedFrom`,
      /callback only in methods with a sign-in/,
    ],
    [
      'a captured value of a method without OAuth',
      {
        authenticationMethods: [
          { ...apiKeyMethod, fields: [...apiKeyMethod.fields, named(tokenResponse('/x'))] },
        ],
      },
      'authenticationMethods[0].fields[1].capturedFrom',
      /only for OAuth 2/,
    ],
  ])('a connector with %s is refused, with line and path', (_fault, manifest, path, message) => {
    const problems = problemsOf(manifest);
    const problem = problems.find((candidate) => candidate.path === path);
    expect(problem?.message, JSON.stringify(problems)).toMatch(message);
    expect(problem?.line).toBeGreaterThan(0);
  });
});
