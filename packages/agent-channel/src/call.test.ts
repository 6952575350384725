import { testConnector, testMethod, testRequest, testTool } from '@fairlead/connector-runtime/testing/calls';
import { triggerTool } from '@fairlead/connector-runtime/triggers/trigger-tool';
import { mcpRequestTool } from '@fairlead/connector-runtime/mcp/mcp-request';
import { jsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { createCallDecoder, encodeCall } from './call.ts';
import type { AgentCall } from './call.ts';

const method = testMethod({ type: 'none' });
const connector = testConnector({ slug: 'onprem-http', kind: 'OPA', authenticationMethods: [method] });
const tool = testTool({ type: 'handler', handler: 'request' });
const call: AgentCall = {
  connector,
  method,
  tool,
  fields: { url: 'http://10.0.0.1', count: 3 },
  filters: [{ field: 'name', operator: 'eq', value: ['a', null] }],
  sorts: [{ field: 'name', direction: 'desc' }],
  top: 5,
  offset: 10,
};
const request = testRequest('/items');
const pollRecipe = {
  request,
  newest: request,
  paging: { type: 'offset', topQuery: 'top', offsetQuery: 'skip', maxTop: 10 },
  itemsPointer: '/items',
  idPointer: '/id',
  timePointer: '/at',
  overlapSeconds: 60,
} as const;
const webhookRecipe = {
  register: { request, idPointer: '/id' },
  list: { request, paging: null, itemsPointer: '', idPointer: '/id', urlPointer: '/url' },
  remove: { request },
  signature: { header: 'signature', prefix: '', encoding: 'hex', timestampHeader: null },
  deliveryIdPointer: '/id',
  occurredAtPointer: null,
  payloadPointer: '',
} as const;
const decode = createCallDecoder();

test('a call has all of its members after the journey, in whichever form its tool is', () => {
  expect(decode(encodeCall(call))).toEqual(call);
  const { top: _top, offset: _offset, ...unpaged } = call;
  expect(decode(encodeCall(unpaged))).toEqual(unpaged);
  const passthrough = { ...call, tool: { ...tool, execution: { type: 'passthrough' as const } } };
  expect(decode(encodeCall(passthrough))).toEqual(passthrough);
  const removal = { type: 'removeWebhook' as const, recipe: webhookRecipe, id: '7' };
  const forTrigger = { ...call, tool: triggerTool({ slug: 'onprem-http-item' }, removal) };
  expect(decode(encodeCall(forTrigger))).toEqual(forTrigger);
  const read = { type: 'poll' as const, recipe: pollRecipe, now: new Date('2026-11-29T12:00:00.000Z') };
  const polled = { ...read, cursor: { since: null, known: ['1@2'] } };
  const poll = { ...call, tool: triggerTool({ slug: 'onprem-http-item' }, polled) };
  expect(decode(encodeCall(poll))).toEqual(poll);
});

test('a large field keeps its text, digits included', () => {
  const numbers = `[${Array.from({ length: 2_000 }, () => '1.10000000000000000009').join(',')}]`;
  const fields = { numbers: new LazyJson(Buffer.from(numbers)) };
  const { numbers: decoded } = decode(encodeCall({ ...call, fields })).fields;
  expect(jsonText(decoded)).toBe(numbers);
});

test('members that a later release adds are ignored', () => {
  const encoded = encodeCall(call).toString();
  const later = encoded.replaceAll('{"', '{"later":1,"');
  expect(later).not.toBe(encoded);
  const { connector: head, method: ofHead, sorts } = decode(Buffer.from(later));
  expect([head, ofHead, sorts]).toEqual([call.connector, call.method, call.sorts]);
});

test('bytes of another form, and requests to MCP servers, are no calls', () => {
  for (const bytes of [
    '',
    '[]',
    '{}',
    '{"authenticationId":0',
    jsonText({ ...call, authenticationId: 0, fields: [] }),
  ])
    expect(() => decode(Buffer.from(bytes))).toThrow(/./);
  const listing = { ...call, tool: mcpRequestTool({ type: 'lists' }) };
  expect(() => encodeCall(listing)).toThrow('no call of an agent');
});
