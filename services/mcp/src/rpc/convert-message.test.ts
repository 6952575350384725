import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { CommonJson } from '../domain/common-json.ts';
import { resultResponse } from '../endpoint/json-rpc.ts';
import { toHandleMessageResponse } from './convert-message.ts';

const list = (length: number) => new CommonJson(Buffer.from(JSON.stringify(['x'.repeat(length)])));
const answerOf = (tools: CommonJson) => ({
  status: 200 as const,
  ...resultResponse(LazyJson.of(7), { before: 1, tools, nextCursor: 'c' }),
});
const textOf = ({ body }: ReturnType<typeof toHandleMessageResponse>) => Buffer.from(body ?? []).toString();

test('a caller that has kept the large part of an answer gets it without that, and any other gets all', () => {
  const tools = list(20_000);
  const text = `{"jsonrpc":"2.0","id":7,"result":{"before":1,"tools":${tools.text},"nextCursor":"c"}}`;
  const [before = '', after = ''] = text.split(tools.text);
  const part = { digest: tools.digest, offset: before.length, size: tools.bytes.length };
  const answer = answerOf(tools);
  for (const kept of [undefined, new Uint8Array(), list(20_001).digest]) {
    const whole = toHandleMessageResponse(answer, kept);
    expect(textOf(whole)).toBe(text);
    expect(whole.commonPart).toEqual({ ...part, isLeftOut: false });
  }
  const rest = toHandleMessageResponse(answer, list(20_000).digest);
  expect(textOf(rest)).toBe(before + after);
  expect(rest.commonPart).toEqual({ ...part, isLeftOut: true });
});

test('a small part is always sent', () => {
  const tools = list(100);
  const response = toHandleMessageResponse(answerOf(tools), tools.digest);
  expect(textOf(response)).toContain(tools.text);
  expect(response.commonPart).toBeUndefined();
});
