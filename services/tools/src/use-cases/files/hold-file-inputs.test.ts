import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MemoryFiles } from '../../testing/files.ts';
import { holdFileInputs } from './hold-file-inputs.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const file = { format: 'file' };
const inputSchema = { properties: { first: file, second: file, third: file, fourth: file } };
const keeper = { approvalId: 'approval', endUserId: null, until: NOW };

function hold(files: MemoryFiles, fields: JsonObject, content: Uint8Array = Buffer.from('Hi')) {
  const deps = {
    files,
    fileFetcher: {
      fetch: () =>
        Promise.resolve({ kind: 'fetched' as const, content, name: '/a.txt', contentType: 'text/plain' }),
    },
    clock: new ManualClock(NOW),
  };
  const o = { keeper, masker: createMasker(['a-secret']), leftMs: () => 1_000 };
  return holdFileInputs(deps, testContext(), { inputSchema }, fields, o);
}

const url = { url: 'https://files.test/a.txt' };
const inline = (content: Uint8Array, name = 'b.txt') => ({
  base64: Buffer.from(content).toString('base64'),
  name,
});

test('a content from an address is kept, one that comes with the call is not, and both are described', async () => {
  const files = new MemoryFiles();
  const sha256 = createHash('sha256').update('Hi').digest('hex');
  expect(await hold(files, { first: url, second: inline(Buffer.from('Hello')) })).toEqual([
    {
      field: 'first',
      name: 'a.txt',
      contentType: 'text/plain',
      sizeBytes: 2,
      sha256,
      text: 'Hi',
      heldFileId: 'file_1',
    },
    expect.objectContaining({
      field: 'second',
      name: 'b.txt',
      text: 'Hello',
      heldFileId: null,
    }) as unknown,
  ]);
  expect([...files.held]).toEqual([['file_1', { content: Buffer.from('Hi'), keeper }]]);
});

test.each([
  ['text of 64 KiB', Buffer.alloc(64 * 1024, 'x'), 'x'.repeat(64 * 1024)],
  ['a longer text', Buffer.alloc(64 * 1024 + 1, 'x'), null],
  ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]), null],
  ['nothing', Buffer.alloc(0), ''],
])('%s is shown as far as somebody can read it', async (_what, content, text) => {
  expect(await hold(new MemoryFiles(), { first: inline(content) })).toMatchObject([{ text }]);
});

test('texts are shown as long as their JSON fits an approval', async () => {
  const escaped = inline(Buffer.alloc(64 * 1024, 1));
  const names = ['first', 'second', 'third', 'fourth'];
  const approved = await hold(new MemoryFiles(), Object.fromEntries(names.map((name) => [name, escaped])));
  expect(approved.map(({ text }) => text?.length)).toEqual([64 * 1024, 64 * 1024, undefined, undefined]);
});

test('a file with a secret in what is shown of it is refused, and nothing is kept', async () => {
  const files = new MemoryFiles();
  for (const second of [inline(Buffer.from('an a-secret')), inline(Buffer.from('Hi'), 'a-secret.txt')])
    await expect(hold(files, { first: url, second })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields.second' }],
    });
  expect(files.held.size).toBe(0);
  const hidden = inline(Buffer.concat([Buffer.from('a-secret'), Buffer.from([0xff])]));
  expect(await hold(files, { second: hidden })).toMatchObject([{ text: null }]);
});

test('nothing is kept if a later file has no room', async () => {
  const files = new MemoryFiles({ most: 1 });
  await expect(hold(files, { first: url, second: url })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(files.held.size).toBe(0);
});
