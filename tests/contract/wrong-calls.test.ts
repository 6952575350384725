import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApiKey, createUser, expectStatus } from './support/accounts.ts';
import { expectError, post, stack } from './support/api.ts';
import { ENUM, INVALID, json, MALFORMED, MISSING, raw, testWrongCalls } from './support/wrong-calls.ts';

const accountOf = testWrongCalls({
  'credentials and permissions': [
    ['GET', '/v1/auth/whoami', { apiKey: null }, [401, 'UNAUTHORIZED'], [], 'x-api-key header'],
    [
      'GET',
      '/v1/auth/whoami',
      { apiKey: 'fairlead_typo' },
      [401, 'UNAUTHORIZED'],
      [],
      'API key is not valid',
    ],
    [
      'GET',
      '/v1/auth/whoami',
      { apiKey: null, headers: { authorization: `Bearer ${stack.account.apiKey}` } },
      [401, 'UNAUTHORIZED'],
      [],
      'Send it in the x-api-key header',
    ],
    [
      'GET',
      '/operator/v1/accounts',
      undefined,
      [401, 'UNAUTHORIZED'],
      [],
      'operator’s key in the x-api-key header',
    ],
  ],
  'routes and methods': [
    ['GET', '/v1/tool', undefined, MISSING, [], 'Did you mean GET /v1/tools?'],
    ['GET', '/v1/tools/', undefined, MISSING, [], 'Did you mean GET /v1/tools?'],
    ['POST', '/v1/destinations', json({}), MISSING, [], 'Did you mean POST /v1/triggers/destinations?'],
    ['POST', '/v1/tools/sandbox-crm-whoami/run', json({}), MISSING, [], 'POST /v1/tools/{toolSlug}/execute?'],
    ['GET', '/v1/webhooks-of-mine', undefined, MISSING, [], 'GET /openapi.json describes every route.'],
    ['DELETE', '/v1/applications', undefined, [405, 'METHOD_NOT_ALLOWED'], [], 'supports GET'],
    ['PATCH', '/v1/connections/CRM', json({}), [405, 'METHOD_NOT_ALLOWED'], [], 'supports GET, PUT, DELETE'],
  ],
  'forms of bodies and headers': [
    [
      'POST',
      '/v1/connections',
      raw('{\n  "name": "Ada",\n}'),
      MALFORMED,
      [],
      'line 3, column 1: expected a name',
    ],
    ['POST', '/v1/connections', raw("{'name': 1}"), MALFORMED, [], 'line 1, column 2', 'double quotes'],
    ['POST', '/v1/connections', raw('{"name": "Ada"'), MALFORMED, [], 'line 1, column 15: expected }'],
    ['POST', '/v1/connections', raw('[1]'), MALFORMED, [], 'must be a JSON object'],
    ['POST', '/v1/connections', raw(''), MALFORMED, [], 'needs a JSON object as its body'],
    ['POST', '/v1/connections', raw('{"a": 1e999}'), INVALID, ['a'], 'IEEE 754'],
    [
      'POST',
      '/v1/connections',
      raw('a=1', 'application/x-www-form-urlencoded'),
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
      [],
      'as application/json',
    ],
    [
      'POST',
      '/v1/toolsets',
      { headers: { 'idempotency-key': 'x'.repeat(256) }, body: { name: 'x' } },
      INVALID,
      ['Idempotency-Key'],
      '1 to 255 characters',
    ],
  ],
  'lists and their filters': [
    ['GET', '/v1/connections?top=101', undefined, INVALID, ['top'], 'at most 100'],
    ['GET', '/v1/tools?top=ten', undefined, INVALID, ['top'], 'must be an integer'],
    ['GET', '/v1/triggers?offset=-1', undefined, INVALID, ['offset'], 'at least 0'],
    ['GET', '/v1/tools?top=1&top=2', undefined, INVALID, ['top'], 'only once'],
    ['GET', '/v1/applications?kind=', undefined, INVALID, ['kind'], 'must not be empty'],
    ['GET', '/v1/applications?kind=Banana', undefined, ENUM, ['kind'], 'one of Regular, Key, MCPClient'],
    ['GET', '/v1/applications?available=yes', undefined, INVALID, ['available'], 'true or false'],
    [
      'GET',
      '/v1/connections?status=on',
      undefined,
      ENUM,
      ['status'],
      'Active, NeedsReauthentication, Blocked',
    ],
    [
      'GET',
      '/v1/connections?applicationSlug=a%20b',
      undefined,
      INVALID,
      ['applicationSlug'],
      'must be a slug',
    ],
    ['GET', `/v1/connections?endUserId=${'x'.repeat(256)}`, undefined, INVALID, ['endUserId'], 'at most 255'],
    ['GET', '/v1/tools?applicationSlug=!', undefined, INVALID, ['applicationSlug'], 'must be a slug'],
    ['GET', '/v1/tools?format=openal', undefined, ENUM, ['format'], 'openai, anthropic'],
    ['GET', '/v1/auth-providers/usable?applicationSlug=!', undefined, INVALID, ['applicationSlug'], 'a slug'],
    [
      'GET',
      '/v1/triggers/types?applicationSlug=!',
      undefined,
      INVALID,
      ['applicationSlug'],
      'must be a slug',
    ],
    [
      'GET',
      '/v1/triggers/events?triggerId=abc',
      undefined,
      INVALID,
      ['triggerId'],
      'trg_ and letters and digits',
    ],
    ['GET', '/v1/triggers/events?destinationId=1', undefined, INVALID, ['destinationId'], 'dst_ and letters'],
    ['GET', '/v1/triggers/events?after=abc', undefined, INVALID, ['after'], 'te_ and 22 letters and digits'],
    [
      'GET',
      '/v1/triggers/events?delivery=lost',
      undefined,
      ENUM,
      ['delivery'],
      'dead_lettered, held, delivered',
    ],
    [
      'GET',
      '/v1/triggers/events?from=yesterday',
      undefined,
      INVALID,
      ['from'],
      'such as 2026-01-31T12:00:00Z',
    ],
    ['GET', '/v1/executions?toolSlug=a%20b', undefined, INVALID, ['toolSlug'], 'must be a slug'],
    ['GET', '/v1/executions?after=abc', undefined, INVALID, ['after'], 'must be an integer'],
    ['GET', '/v1/executions?isSuccess=maybe', undefined, INVALID, ['isSuccess'], 'true or false'],
    ['GET', '/v1/executions?connectionId=0', undefined, INVALID, ['connectionId'], 'at least 1'],
    ['GET', '/v1/approvals?status=open', undefined, ENUM, ['status'], 'pending, approved, rejected'],
    ['GET', '/admin/v1/audit?actor=me', undefined, INVALID, ['actor'], 'usr_…', 'operator or system'],
    ['GET', '/admin/v1/audit?action=!', undefined, INVALID, ['action'], 'such as createConnection'],
    ['GET', '/admin/v1/usage?from=monday', undefined, INVALID, ['from'], 'such as 2026-01-31'],
  ],
  'applications and tools': [
    [
      'GET',
      '/v1/applications/sandbx-crm',
      undefined,
      MISSING,
      [],
      'no application sandbx-crm. Did you mean sandbox-crm?',
    ],
    ['GET', '/v1/applications/sandbox-crm-whoami', undefined, MISSING, [], 'It is a tool of sandbox-crm.'],
    [
      'GET',
      '/v1/tools/sandbox-crm-create-contct',
      undefined,
      MISSING,
      [],
      'There is no tool sandbox-crm-create-contct. Did you mean sandbox-crm-create-contact',
    ],
    [
      'GET',
      '/v1/tools/sandbox-crm',
      undefined,
      MISSING,
      [],
      'GET /v1/tools?applicationSlug=sandbox-crm lists its tools',
    ],
    [
      'GET',
      '/v1/tools/sandbox-crm-contact-created',
      undefined,
      MISSING,
      [],
      'It is a trigger type of sandbox-crm.',
    ],
    [
      'GET',
      '/v1/tools/sandbox-crm-whoami?applicationSlug=postgresql',
      undefined,
      MISSING,
      [],
      'no postgresql tool sandbox-crm-whoami. It is a tool of sandbox-crm.',
    ],
  ],
  'MCP servers': [
    ['GET', '/v1/mcpservers?top=ten', undefined, INVALID, ['top'], 'must be an integer'],
    ['GET', '/v1/mcpservers/mcp_unknown', undefined, MISSING, [], 'The MCP server does not exist.'],
    ['POST', '/v1/mcpservers', json({ name: 'x' }), [405, 'METHOD_NOT_ALLOWED'], [], 'supports GET'],
    ['POST', '/admin/v1/mcpservers', json({ name: 'x', tools: [] }), INVALID, ['tools'], 'connections'],
    [
      'POST',
      '/admin/v1/mcpservers',
      json({ name: 'x', conections: [] }),
      INVALID,
      ['conections'],
      'did you mean connections?',
    ],
    [
      'POST',
      '/admin/v1/mcpservers',
      json({ name: 'x', connections: [{ connectionId: 'CRM' }, { connectionId: 'CRM' }] }),
      INVALID,
      ['connections[1].connectionId'],
      'must not be repeated',
    ],
    [
      'POST',
      '/admin/v1/mcpservers',
      json({ name: 'x', connections: null }),
      INVALID,
      ['connections'],
      'an array',
    ],
    [
      'POST',
      '/admin/v1/mcpservers',
      json({ name: 'x', schemas: 'strict' }),
      ENUM,
      ['schemas'],
      'one of portable, original',
    ],
  ],
  files: [
    ['POST', '/v1/files', raw('', 'text/plain'), MALFORMED, [], 'needs a file as its body'],
    ['POST', '/v1/files', raw('x', 'multipart/form-data'), MALFORMED, [], 'has no boundary'],
    ['GET', '/v1/files/abc', undefined, MISSING, [], 'The file does not exist.'],
  ],
  administration: [
    [
      'PATCH',
      '/admin/v1/account',
      json({ budgets: { hourly: 0 } }),
      INVALID,
      ['budgets.hourly'],
      'at least 1',
    ],
    [
      'POST',
      '/admin/v1/users',
      json({ email: 'ada', name: 'Ada', password: 'short', role: 'member' }),
      INVALID,
      ['email', 'password'],
      'must be an e-mail address',
      'at least 8 characters',
    ],
    [
      'POST',
      '/admin/v1/users',
      json({ email: 'ada@example.com', name: 'Ada', password: 'long enough', role: 'boss' }),
      ENUM,
      ['role'],
      'owner, admin, developer, member',
    ],
    [
      'POST',
      '/admin/v1/api-keys',
      json({ name: 'x', expires: '2030-01-01T00:00:00Z' }),
      INVALID,
      ['expires'],
      'did you mean expiresAt?',
    ],
    [
      'POST',
      '/admin/v1/api-keys',
      json({ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }),
      INVALID,
      ['expiresAt'],
      'must be in the future',
    ],
    [
      'POST',
      '/admin/v1/oauth-clients',
      json({ name: 'x', grantTypes: ['authorization_code'] }),
      INVALID,
      ['redirectUris'],
      'authorization_code needs at least one',
    ],
    [
      'PUT',
      '/admin/v1/connections/CRM/licence',
      json({ status: 'on' }),
      ENUM,
      ['status'],
      'none, active, expired',
    ],
  ],
  'the operator': [
    [
      'GET',
      '/operator/v1/accounts/acc_x',
      { apiKey: stack.operatorKey },
      MISSING,
      [],
      'The account does not exist.',
    ],
    [
      'POST',
      '/operator/v1/accounts',
      { apiKey: stack.operatorKey, body: { name: 'x', ownerEmail: 'ada' } },
      INVALID,
      ['ownerEmail'],
      'must be an e-mail address',
    ],
  ],
});

test('a key, and a user, without a permission are told which', async () => {
  const account = accountOf();
  const { apiKey } = await createApiKey(account, { scopes: ['connections.read'] });
  const key = await post('/v1/toolsets', { name: 'x' }, { apiKey });
  expectError(key, 403, 'FORBIDDEN');
  expect(key.body.message).toBe('The API key does not allow tools.write.');
  const member = await createUser(account, { role: 'member' });
  const user = await post('/admin/v1/api-keys', { name: 'x' }, member);
  expectError(user, 403, 'FORBIDDEN');
  expect(user.body.message).toBe('Your role does not allow administration.');
});

test('another body with the Idempotency-Key of a call is told to use a new one', async () => {
  const account = accountOf();
  const options = { apiKey: account.apiKey, headers: { 'idempotency-key': randomUUID() } };
  expectStatus(await post('/v1/toolsets', { name: 'One' }, options), 201);
  const other = await post('/v1/toolsets', { name: 'Two' }, options);
  expectError(other, 409, 'IDEMPOTENCY_CONFLICT');
  expect(other.body.message).toContain('Send a new one');
});
