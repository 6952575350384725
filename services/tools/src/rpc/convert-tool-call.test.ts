import { create } from '@bufbuild/protobuf';
import {
  ExecuteToolRequestSchema,
  SendRequestRequestSchema,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { describe, expect, it } from 'vitest';
import { successOf } from '../domain/execution.ts';
import type { Outcome } from '../domain/execution.ts';
import {
  fromExecuteToolRequest,
  fromSendRequestRequest,
  toExecuteToolResponse,
} from './convert-tool-call.ts';

const text = '{"id":7,"name":"x"}';
const large = successOf({ value: { id: 7, name: 'x' }, json: new LazyJson(Buffer.from(text)) });
const small = successOf({ value: { id: 7, name: 'x' }, json: undefined });

function outputOf(outcome: Outcome): string {
  const info = {
    startedAt: new Date('2026-11-23T10:00:00Z'),
    durationMs: 1,
    connectionId: 1,
    connectionResolution: 'explicit',
    applicationSlug: 'a',
    toolSlug: 't',
    toolVersion: '1',
    attempts: 1,
    userId: null,
    source: 'mcp',
    mcpServerName: 'Support',
  } as const;
  return Buffer.from(toExecuteToolResponse({ outcome, historyId: 1, info }).outputJson).toString();
}

describe('the output of a call', () => {
  it.each([
    ['large', large],
    ['small', small],
  ])('is sent as its JSON: a %s one', (_, outcome) => {
    expect(outputOf(outcome)).toBe(text);
  });
});

describe('a large input', () => {
  const json = Buffer.from('[1,{"a":2}]'.padEnd(16 * 1024));

  it('stands in the place that its fields keep for it, and is not parsed', () => {
    const message = create(ExecuteToolRequestSchema, {
      fieldsJson: { body: json, url: Buffer.from('"/"') },
    });
    const { fields } = fromExecuteToolRequest(message);
    expect(Object.keys(fields)).toEqual(['body', 'url']);
    expect(fields).toEqual({ body: new LazyJson(json), url: '/' });
    const a = Buffer.from(`"${'é'.repeat(16 * 1024)}"`);
    const text = fromExecuteToolRequest(create(ExecuteToolRequestSchema, { fieldsJson: { a } }));
    expect(text.fields).toEqual({ a: new LazyJson(a) });
  });

  it('is the body of a request', () => {
    const { body } = fromSendRequestRequest(create(SendRequestRequestSchema, { bodyJson: json }));
    expect(body).toEqual(new LazyJson(json));
  });
});
