import { describe, expect } from 'vitest';
import { asOther, call, del, expectError, get, post, put, stack } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { row } from './support/row.ts';

const create = '/v1/connections';

describe('the error envelope', () => {
  row(
    [
      'error-envelope-errorresponse.1',
      'error-envelope-errorresponse.2',
      'error-envelope-errorresponse.3',
      'error-envelope-errorresponse.4',
      'versioning.3',
      'versioning.5',
      'errors.1',
    ],
    'every refusal has code, message, requestId and timestamp, and no path',
    async () => {
      expectError(await get('/v1/connections/999999'), 404, 'NOT_FOUND');
      expectError(await get('/v1/auth/whoami', { apiKey: null }), 401, 'UNAUTHORIZED');
      expectError(await post(create, {}), 400, 'VALIDATION_ERROR');
    },
  );

  row(
    [
      'error-envelope-errorresponse.5',
      'error-envelope-errorresponse.6',
      'errors.12',
      'errors.2',
      'completion.everywhere.26',
    ],
    'field-level failures name each field with its issue; other failures carry no details',
    async () => {
      const refused = await post(create, { applicationSlug: 7, connectionName: '', metadata: [] });
      expectError(refused, 400, 'VALIDATION_ERROR', ['applicationSlug', 'connectionName', 'metadata']);
      const missing = await get('/v1/connections/999999');
      expect(missing.body.details ?? null).toBeNull();
    },
  );

  row(
    ['errors.13', 'completion.everywhere.25', 'completion.everywhere.16'],
    'a body that is not a JSON object, or is not there, is MALFORMED_BODY',
    async () => {
      const json = { 'content-type': 'application/json' };
      for (const raw of ['{', '"text"', '[1]', 'null', '12', '']) {
        expectError(await call('POST', create, { raw, headers: json }), 400, 'MALFORMED_BODY');
      }
      expectError(await call('POST', create, {}), 400, 'MALFORMED_BODY');
    },
  );

  row(
    ['errors.31', 'errors.7', 'completion.everywhere.20'],
    'a body of another type, or of none, is 415',
    async () => {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']) {
        const answer = await call('POST', create, { raw: '{}', headers: { 'content-type': type } });
        expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      }
      const untyped = await call('POST', create, { raw: new TextEncoder().encode('{}') });
      expectError(untyped, 415, 'UNSUPPORTED_MEDIA_TYPE');
      const charset = { 'content-type': 'application/json; charset=utf-8' };
      expectError(await call('POST', create, { raw: '{}', headers: charset }), 400, 'VALIDATION_ERROR');
    },
  );

  row(
    [
      'errors.5',
      'errors.26',
      'completion.everywhere.29',
      'completion.everywhere.30',
      'completion.everywhere.31',
    ],
    'unknown, foreign and malformed ids get the same 404',
    async () => {
      const foreign = await createCrmConnection('Foreign', stack.otherAccount.apiKey);
      const bodies = await Promise.all(
        [foreign.id, 2_000_000_000, 99_999_999_999, 0, -1, 'abc', '1.5'].map(async (id) => {
          const answer = await get(`/v1/connections/${id}`);
          expectError(answer, 404, 'NOT_FOUND');
          const { requestId, timestamp, ...rest } = answer.body;
          expect(requestId).not.toBe(timestamp);
          return rest;
        }),
      );
      expect(new Set(bodies.map((it) => JSON.stringify(it))).size).toBe(1);
      expect((await del(`/v1/connections/${foreign.id}`, asOther)).status).toBe(204);
    },
  );

  row(
    ['errors.19', 'completion.everywhere.28'],
    'an unknown enumerated value names the field and lists the accepted ones',
    async () => {
      const answer = await get('/v1/applications?kind=Banana');
      expectError(answer, 400, 'INVALID_ENUM_VALUE');
      for (const kind of ['Regular', 'Key', 'MCPClient']) expect(answer.body.message).toContain(kind);
    },
  );

  row(
    ['errors.1', 'completion.everywhere.39'],
    'a body above 5 MiB is 413, and just below is read',
    async () => {
      const pad = (bytes: number): string => JSON.stringify({ connectionName: 'x', pad: 'y'.repeat(bytes) });
      const headers = { 'content-type': 'application/json' };
      const tooLarge = await call('POST', create, { raw: pad(5 * 1024 * 1024), headers });
      expectError(tooLarge, 413, 'PAYLOAD_TOO_LARGE');
      const fits = await call('POST', create, { raw: pad(5 * 1024 * 1024 - 100), headers });
      expectError(fits, 400, 'VALIDATION_ERROR', ['applicationSlug']);
    },
  );

  row(
    ['errors.1', 'completion.everywhere.41'],
    'a known path with another method is 405 with Allow',
    async () => {
      const answer = await put('/v1/applications', {});
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('allow')).toContain('GET');
      const one = await call('PATCH', '/v1/connections/1', { body: {} });
      expectError(one, 405, 'METHOD_NOT_ALLOWED');
      const allowed = (one.headers.get('allow') ?? '').split(/,\s*/);
      expect(allowed).toEqual(expect.arrayContaining(['DELETE', 'GET', 'PUT']));
    },
  );

  row(
    ['authentication.6', 'completion.everywhere.18', 'completion.everywhere.19'],
    'checks come in order: route, credential, then method, size, type and body',
    async () => {
      const anonymous = { apiKey: null } as const;
      expect((await get('/v1/nothing-here', anonymous)).status).toBe(404);
      expectError(await call('PATCH', create, { ...anonymous, raw: '{' }), 401, 'UNAUTHORIZED');
      const big = { raw: 'x'.repeat(6 * 1024 * 1024), headers: { 'content-type': 'text/plain' } };
      expectError(await call('POST', create, { ...big, ...anonymous }), 401, 'UNAUTHORIZED');
      expectError(await call('POST', create, big), 413, 'PAYLOAD_TOO_LARGE');
      expectError(
        await call('PATCH', create, { raw: '{', headers: { 'content-type': 'text/plain' } }),
        405,
        'METHOD_NOT_ALLOWED',
      );
    },
  );

  row(
    ['errors.2', 'completion.everywhere.21', 'completion.everywhere.22', 'completion.everywhere.23'],
    'unknown members and query parameters are ignored, known ones are checked strictly',
    async () => {
      expect((await get('/v1/applications?colour=blue')).status).toBe(200);
      expectError(await get('/v1/applications?top=1&top=2'), 400, 'VALIDATION_ERROR', ['top']);
      expectError(await get('/v1/applications?top='), 400, 'VALIDATION_ERROR', ['top']);
      expectError(await get('/v1/applications?kind='), 400, 'VALIDATION_ERROR', ['kind']);
      expectError(await get('/v1/applications?available=yes'), 400, 'VALIDATION_ERROR', ['available']);
      expect((await get('/v1/applications?search=')).status).toBe(200);
    },
  );
});
