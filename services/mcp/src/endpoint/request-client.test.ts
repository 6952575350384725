import { expect, test } from 'vitest';
import { NO_SESSION, requestClient } from './request-client.ts';

const params = (_meta: object) => new Map([['_meta', Buffer.from(JSON.stringify(_meta))]]);
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LEVEL = 'io.modelcontextprotocol/logLevel';

test('without a handshake, a request describes its client', () => {
  const meta = { [CAPABILITIES]: { roots: {} }, [LEVEL]: 'info', progressToken: 'p' };
  const client = requestClient({ params: params(meta), isStateless: true }, NO_SESSION);
  expect(client).toMatchObject({ isStateless: true, capabilities: { roots: {} }, logLevel: 'info' });
  expect(client.progressToken?.text).toBe('"p"');
});

test('in a session, its declaration counts, and the token is the request’s', () => {
  const session = { capabilities: { sampling: {} }, logLevel: 'error' } as const;
  const meta = { [CAPABILITIES]: { roots: {} }, [LEVEL]: 'info', progressToken: 12 };
  const client = requestClient({ params: params(meta), isStateless: false }, session);
  expect(client).toMatchObject({ isStateless: false, ...session });
  expect(client.progressToken?.text).toBe('12');
  expect(requestClient({ params: new Map(), isStateless: false }, NO_SESSION)).toMatchObject({
    capabilities: {},
    logLevel: 'info',
    progressToken: undefined,
  });
});

test('a client knows links if its version has them; one that names none has an early version', () => {
  const knows = (isStateless: boolean, version?: string) =>
    requestClient({ params: params({ [CAPABILITIES]: {} }), isStateless }, NO_SESSION, version).takesLinks;
  expect(knows(true)).toBe(true);
  expect(['2025-11-25', '2025-06-18'].map((version) => knows(false, version))).toEqual([true, true]);
  expect(['2025-03-26', '2024-11-05', undefined].map((version) => knows(false, version))).toEqual([
    false,
    false,
    false,
  ]);
});

test('without a handshake, a client that names no level wants no log messages', () => {
  const meta = { [CAPABILITIES]: {} };
  expect(requestClient({ params: params(meta), isStateless: true }, NO_SESSION).logLevel).toBeUndefined();
});

test.each([
  ['a token that is an object', { progressToken: {} }],
  ['a level that does not exist', { [CAPABILITIES]: {}, [LEVEL]: 'loud' }],
])('%s is refused', (_what, meta) => {
  expect(() => requestClient({ params: params(meta), isStateless: true }, NO_SESSION)).toThrow(
    expect.objectContaining({ code: -32_602 }),
  );
});
