import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import type { AuditEvent } from '@fairlead/audit-log/domain/event';
import { defineRoute } from './testing/define-route.ts';
import { OPERATOR_KEY, call, startTestEdge } from './testing/edge.ts';
import type { TestEdge } from './testing/edge.ts';
import { itemRoutes } from './testing/item-routes.ts';

let edge: TestEdge;
afterEach(() => edge.close());

let rotations = 0;
const rotate = defineRoute(
  {
    operationId: 'rotateSecret',
    method: 'post',
    path: '/v1/items/{itemId}/secrets/{secretName}',
    tags: ['Items'],
    summary: 'Rotate',
    auth: 'credential',
    audit: 'before',
    params: z.object({ secretName: z.string(), itemId: z.int() }),
    resource: 'secret',
    body: z.object({ length: z.int().optional(), hint: z.string().optional() }),
    response: z.strictObject({ secret: z.string() }),
    errors: ['CONFLICT'],
  },
  ({ body }) => {
    rotations += 1;
    return body.length === 0
      ? Promise.reject(new ApiError('CONFLICT', 'Too short.'))
      : Promise.resolve({ secret: 'canary' });
  },
);

const createAccount = defineRoute(
  {
    operationId: 'createAccount',
    method: 'post',
    path: '/operator/v1/accounts',
    tags: ['Items'],
    summary: 'Create',
    auth: 'operator',
    resource: 'account',
    response: z.strictObject({ accountId: z.string() }),
    status: 201,
    errors: [],
  },
  () => Promise.resolve({ accountId: 'acc_new' }),
);

const createClient = defineRoute(
  {
    operationId: 'createClient',
    method: 'post',
    path: '/v1/clients',
    tags: ['Items'],
    summary: 'Create',
    auth: 'credential',
    resource: 'OAuth client',
    response: z.strictObject({ clientId: z.string(), userId: z.string() }),
    errors: [],
  },
  () => Promise.resolve({ clientId: 'client_new', userId: 'usr_x' }),
);

const rename = defineRoute(
  {
    operationId: 'rename',
    method: 'patch',
    path: '/v1/doors/{token}',
    tags: ['Items'],
    summary: 'Rename',
    params: z.object({ token: z.string() }),
    resource: 'door',
  },
  ({ nameRecord }) => {
    nameRecord('door-7');
    return Promise.resolve(undefined);
  },
);

const quiet = defineRoute(
  {
    operationId: 'quiet',
    method: 'post',
    path: '/v1/quiet',
    tags: ['Items'],
    summary: 'Quiet',
    auth: 'credential',
    audit: 'none',
    response: z.null(),
    errors: [],
  },
  () => Promise.resolve(null),
);

const ACTOR = { kind: 'user', userId: 'usr_test', credentialType: 'apiKey', credentialId: 'key_test' };

/** An audit log in which writing fails, from entry number `from` on. */
function failing(from: number): AuditLog & { readonly events: AuditEvent[] } {
  const events: AuditEvent[] = [];
  return {
    events,
    record(event) {
      if (events.length + 1 >= from) return Promise.reject(new Error('no disk'));
      events.push(event);
      return Promise.resolve();
    },
  };
}

describe('what is done', () => {
  test('is recorded once it succeeded, with who, what and the names of what was sent, never a value', async () => {
    edge = await startTestEdge({ routes: itemRoutes });
    const answer = await call(edge, 'POST', '/v1/items', { json: { name: 'canary', other: 'canary' } });
    await call(edge, 'DELETE', '/v1/items/7');
    expect(edge.audited).toEqual([
      {
        accountId: 'acc_test',
        actor: ACTOR,
        action: 'createItem',
        outcome: 'succeeded',
        requestId: answer.headers.get('x-request-id'),
        details: { members: ['name'] },
      },
      expect.objectContaining({ action: 'deleteItem', resource: { type: 'item', id: '7' } }),
    ]);
    expect(JSON.stringify(edge.audited)).not.toContain('canary');
  });

  test('leaves no entry where it was refused, only read, or its route says none', async () => {
    edge = await startTestEdge({ routes: [...itemRoutes, quiet] });
    await call(edge, 'POST', '/v1/items', { json: { name: 'taken' } });
    await call(edge, 'POST', '/v1/items', { json: {} });
    await call(edge, 'GET', '/v1/items');
    await call(edge, 'GET', '/v1/open');
    expect((await call(edge, 'POST', '/v1/quiet')).status).toBe(200);
    expect(edge.audited).toEqual([]);
  });

  test('by the operator is the operator’s, about what was made', async () => {
    edge = await startTestEdge({ routes: [createAccount] });
    await call(edge, 'POST', '/operator/v1/accounts', { headers: OPERATOR_KEY });
    expect(edge.audited).toMatchObject([
      { actor: { kind: 'operator' }, resource: { type: 'account', id: 'acc_new' } },
    ]);
    expect(edge.audited[0]?.accountId).toBeUndefined();
  });

  test('names what was made by the last word of its kind, too', async () => {
    edge = await startTestEdge({ routes: [createClient] });
    await call(edge, 'POST', '/v1/clients');
    expect(edge.audited).toMatchObject([{ resource: { type: 'oauthClient', id: 'client_new' } }]);
  });

  test('names a record as its handler does, where its address is a secret', async () => {
    edge = await startTestEdge({ routes: [rename] });
    expect((await call(edge, 'PATCH', '/v1/doors/canary')).status).toBe(204);
    expect(edge.audited).toMatchObject([{ resource: { type: 'door', id: 'door-7' } }]);
    expect(JSON.stringify([edge.audited, edge.lines])).not.toContain('canary');
  });

  test('stays done where its entry is lost; the log says so', async () => {
    edge = await startTestEdge({ routes: itemRoutes, audit: failing(1) });
    expect((await call(edge, 'DELETE', '/v1/items/7')).status).toBe(204);
    expect(edge.lines).toContainEqual(
      expect.objectContaining({ level: 'error', action: 'deleteItem', msg: 'an audit entry was lost' }),
    );
  });
});

describe('what may not be done unrecorded', () => {
  const path = '/v1/items/7/secrets/main';

  test('is recorded before it is done and after', async () => {
    edge = await startTestEdge({ routes: [rotate] });
    expect((await call(edge, 'POST', path, { json: { length: 3 } })).status).toBe(200);
    const entry = {
      action: 'rotateSecret',
      resource: { type: 'secret', id: 'main' },
      details: { members: ['length'] },
    };
    expect(edge.audited).toMatchObject([
      { ...entry, outcome: 'attempted' },
      { ...entry, outcome: 'succeeded' },
    ]);
  });

  test('is recorded as failed with its code', async () => {
    edge = await startTestEdge({ routes: [rotate] });
    expect((await call(edge, 'POST', path, { json: { length: 0 } })).status).toBe(409);
    expect(edge.audited).toMatchObject([
      { outcome: 'attempted' },
      { outcome: 'failed', details: { errorCode: 'CONFLICT' } },
    ]);
  });

  test('is refused and not done where it cannot be recorded', async () => {
    edge = await startTestEdge({ routes: [rotate], audit: failing(1) });
    const before = rotations;
    const answer = await call(edge, 'POST', path, { json: {} });
    expect([answer.status, answer.body['errorCode'], rotations]).toEqual([503, 'UNAVAILABLE', before]);
  });

  test('is answered where only its second entry is lost', async () => {
    const audit = failing(2);
    edge = await startTestEdge({ routes: [rotate], audit });
    expect((await call(edge, 'POST', path, { json: {} })).status).toBe(200);
    expect(audit.events).toMatchObject([{ outcome: 'attempted' }]);
  });

  test('is recorded each time its answer is given again, or not given', async () => {
    const headers = { 'idempotency-key': 'k' };
    const audit = failing(4);
    edge = await startTestEdge({ routes: [rotate], audit });
    for (const status of [200, 200, 503])
      expect((await call(edge, 'POST', path, { json: {}, headers })).status).toBe(status);
    expect(audit.events.slice(2)).toMatchObject([
      { outcome: 'succeeded', resource: { id: 'main' }, details: { isReplay: true } },
    ]);
  });
});
