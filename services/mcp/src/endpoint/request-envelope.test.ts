import { expect, test } from 'vitest';
import { readBody } from './json-rpc.ts';
import { requireArgumentHeaders, statelessResult, statelessVersionOf } from './request-envelope.ts';
import type { ProtocolHeaders } from './request-envelope.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const META = { [VERSION]: '2026-07-28', [CAPABILITIES]: {} };
const HEADERS = { version: '2026-07-28', method: 'tools/call', name: 'echo' };

function versionOf(params: object, headers: ProtocolHeaders = HEADERS, o: object = {}) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...o };
  const [message] = readBody(Buffer.from(JSON.stringify(body))).messages;
  if (message === undefined) throw new Error('no message');
  try {
    return statelessVersionOf(message, headers);
  } catch (error) {
    return error;
  }
}

test('a message with the envelope, and headers that say the same, has a version without a handshake', () => {
  expect(versionOf({ _meta: META, name: 'echo' })).toBe('2026-07-28');
  expect(versionOf({ _meta: META, name: 'é' }, { ...HEADERS, name: '=?base64?w6k=?=' })).toBe('2026-07-28');
  expect(versionOf({ _meta: META }, { version: '2026-07-28', method: 'a' }, { method: 'a' })).toBe(
    '2026-07-28',
  );
});

test('a message without it has one with a handshake, unless its header names another', () => {
  expect(versionOf({ name: 'echo' }, { version: '2025-11-25' })).toBeUndefined();
  expect(versionOf({ name: 'echo', _meta: { progressToken: 1 } }, {})).toBeUndefined();
  expect(versionOf({ name: 'echo' })).toMatchObject({ code: -32_602 });
  expect(versionOf({}, HEADERS, { method: 'initialize' })).toMatchObject({ code: -32_020 });
  const claim = { _meta: { [VERSION]: '2025-11-25' } };
  expect(versionOf(claim, { version: '2025-11-25' }, { method: 'initialize' })).toBeUndefined();
});

test.each([
  ['a version that is no text', { [VERSION]: 1, [CAPABILITIES]: {} }, -32_602],
  ['no capabilities', { [VERSION]: '2026-07-28' }, -32_602],
  ['capabilities that are no object', { [VERSION]: '2026-07-28', [CAPABILITIES]: [] }, -32_602],
])('an envelope with %s is refused', (_what, _meta, code) => {
  expect(versionOf({ _meta, name: 'echo' })).toMatchObject({ code });
});

test.each([
  ['no version', { ...HEADERS, version: undefined }],
  ['another version', { ...HEADERS, version: '2025-11-25' }],
  ['no method', { ...HEADERS, method: undefined }],
  ['another method', { ...HEADERS, method: 'tools/list' }],
  ['no name', { ...HEADERS, name: undefined }],
  ['another name', { ...HEADERS, name: 'other' }],
  ['a name in malformed base64', { ...HEADERS, name: '=?base64?e?=' }],
])('headers with %s are refused', (_what, headers) => {
  expect(versionOf({ _meta: META, name: 'echo' }, headers)).toMatchObject({ code: -32_020 });
});

test('an unknown version without a handshake is refused with those that are supported', () => {
  const _meta = { ...META, [VERSION]: '2027-01-01' };
  expect(versionOf({ _meta, name: 'echo' }, { ...HEADERS, version: '2027-01-01' })).toMatchObject({
    code: -32_022,
    data: { supported: ['2026-07-28'], requested: '2027-01-01' },
  });
});

test('a notification needs no headers', () => {
  const o = { id: undefined, method: 'notifications/cancelled' };
  expect(versionOf({ _meta: { [VERSION]: '2026-07-28' } }, {}, o)).toBe('2026-07-28');
  expect(versionOf({}, { version: '2026-07-28' }, o)).toBe('2026-07-28');
});

test('a result keeps its own _meta beside the server’s', () => {
  expect(statelessResult({ isError: true, _meta: { code: 'X' } }, { name: 'server' })).toEqual({
    isError: true,
    resultType: 'complete',
    _meta: { code: 'X', 'io.modelcontextprotocol/serverInfo': { name: 'server' } },
  });
});

const WANTED = [
  { header: 'region', path: ['region'] },
  { header: 'zone', path: ['place', 'zone'] },
];

function refusalFor(args: object, headers: Readonly<Record<string, string>>) {
  const params = new Map([['arguments', Buffer.from(JSON.stringify(args))]]);
  try {
    requireArgumentHeaders(WANTED, params, headers);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each([
  ['the text', { region: 'eu' }, { region: 'eu' }],
  ['base64', { region: 'Hello' }, { region: '=?base64?SGVsbG8=?=' }],
  ['what only begins as base64 does', { region: '=?base64?SGVsbG8=' }, { region: '=?base64?SGVsbG8=' }],
  ['a number, however it is written', { place: { zone: 42 } }, { zone: '42.0' }],
  ['nothing for an argument that is absent or null', { region: null }, {}],
])('a header may repeat an argument as %s', (_what, args, headers) => {
  expect(refusalFor(args, headers)).toBeUndefined();
});

test.each([
  ['is absent', { region: 'eu' }, {}],
  ['has another value', { region: 'eu' }, { region: 'us' }],
  ['has another number', { place: { zone: 42 } }, { zone: '42a' }],
  ['lacks its padding', { region: 'Hello' }, { region: '=?base64?SGVsbG8?=' }],
  ['has other characters than base64', { region: 'Hello' }, { region: '=?base64?SGVs!!!bG8=?=' }],
])('a call is refused if the header of an argument %s', (_what, args, headers) => {
  expect(refusalFor(args, headers)).toMatchObject({ code: -32_020 });
});
