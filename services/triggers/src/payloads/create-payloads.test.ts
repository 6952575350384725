import { afterAll, expect, test } from 'vitest';
import { hookPayload } from '../domain/hook-call.ts';
import { createPayloads } from './create-payloads.ts';

const payloads = createPayloads();
afterAll(() => payloads.close());

test.each<[string, Buffer]>([
  ['a small body', Buffer.from('{"a":1}')],
  ['a large body that is JSON', Buffer.from(`[${'1,'.repeat(300_000)}1]`)],
  ['a large body that is text', Buffer.from('é'.repeat(300_000))],
  ['a large body that is neither', Buffer.alloc(300_000, 0xff)],
])('%s has the payload that it has in place, and is left as it is', async (_name, bytes) => {
  const before = Buffer.from('before');
  // A slice of a larger buffer, as an RPC message gives it.
  const body = Buffer.concat([before, bytes]).subarray(before.length);
  const call = { tokenHash: 't', method: 'POST', headers: ['X-A', '1'], query: 'a=b', body };
  expect(Buffer.from(await payloads.of('acc_1', call)).equals(hookPayload(call))).toBe(true);
  expect(body.equals(bytes)).toBe(true);
});
