import { create } from '@bufbuild/protobuf';
import { HandleMessageResponseSchema } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { expect, test } from 'vitest';
import { createCommonParts } from './common-parts.ts';

const MIB = 1024 * 1024;

/** A service whose answer is `[part]`. */
function setUp() {
  const parts = createCommonParts();
  const sent: number[] = [];
  const ask = async (part: string, { key = 'list', accountId = 'acc_1' } = {}) => {
    const { pieces } = await parts.complete({ accountId, key }, (kept) => {
      const digest = Buffer.from(part.slice(0, 8));
      const isLeftOut = digest.equals(kept);
      const body = Buffer.from(isLeftOut ? '[]' : `[${part}]`);
      sent.push(body.length);
      const commonPart = { digest, offset: 1, size: part.length, isLeftOut };
      return Promise.resolve(create(HandleMessageResponseSchema, { httpStatus: 200, body, commonPart }));
    });
    return Buffer.concat(pieces).toString();
  };
  return { ask, sent, parts };
}

test('a part is sent once, and again when it has changed', async () => {
  const { ask, sent } = setUp();
  for (const part of ['"first"', '"first"', '"second"', '"second"'])
    expect(await ask(part)).toBe(`[${part}]`);
  expect(sent).toEqual([9, 2, 10, 2]);
});

test('an account keeps a bounded number of bytes, and costs another one nothing', async () => {
  const { ask, sent } = setUp();
  await ask('"other"', { accountId: 'acc_2', key: 'other' });
  const pages = Array.from({ length: 12 }, (_page, at) => String(at).padStart(8, '0').padEnd(MIB, 'x'));
  for (const [at, page] of pages.entries()) await ask(page, { key: String(at) });
  sent.length = 0;
  for (const [at, page] of pages.entries()) if (at >= 4) await ask(page, { key: String(at) });
  await ask('"other"', { accountId: 'acc_2', key: 'other' });
  expect(sent).toEqual(Array.from({ length: 9 }, () => 2));
  await ask(pages[0] ?? '', { key: '0' });
  expect(sent.at(-1)).toBe(MIB + 2);
});

test('an answer without such a part is passed on', async () => {
  const { parts } = setUp();
  const answer = create(HandleMessageResponseSchema, { httpStatus: 200, body: Buffer.from('{}') });
  const { pieces } = await parts.complete({ accountId: 'acc_1', key: 'k' }, () => Promise.resolve(answer));
  expect(Buffer.concat(pieces).toString()).toBe('{}');
});
