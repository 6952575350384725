import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { allOf, storedFile } from '../../testing/files.ts';
import { keepBinaryOutput } from './keep-binary-output.ts';
import type { KeepBinaryOutputDeps } from './keep-binary-output.ts';

const ctx = testContext({ accountId: 'acc_1' });
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00]);
const bytes = (content: Buffer): JsonObject => ({ base64: content.toString('base64') });
const output = (body: Json, type = 'image/png'): JsonObject => ({
  status: 200,
  headers: { 'content-type': type },
  body,
});

/** `failsAt`: the number of the write that fails. */
function world(failsAt = 0) {
  const written: Buffer[] = [];
  const abandoned: string[] = [];
  const deps: KeepBinaryOutputDeps = {
    clock: new ManualClock(new Date(0)),
    urls: { urlOf: (accountId, fileId) => `https://x/${accountId}/${fileId}` },
    files: {
      open: () => Promise.resolve(`file_${written.length + 1}`),
      write: async (_ctx, _accountId, _fileId, content) => {
        if (failsAt === written.length + 1) throw new Error('no database');
        written.push(Buffer.concat(await allOf(content)));
        return { sizeBytes: 6, sha256: 'abc' };
      },
      commit: (_ctx, _accountId, fileId) =>
        Promise.resolve(storedFile({ fileId, sizeBytes: 6, contentType: 'image/png' })),
      abandon: (_accountId, fileId) => Promise.resolve(void abandoned.push(fileId)),
    },
  };
  const keep = (received: JsonObject, masked = received, isMcp = false) =>
    keepBinaryOutput(deps, ctx, { received, output: masked, isMcp });
  return { keep, written, abandoned };
}

const reference = (fileId: string) => ({ fileId, sizeBytes: 6, sha256: 'abc', contentType: 'image/png' });
const addressed = (fileId: string) => ({ ...reference(fileId), url: `https://x/acc_1/${fileId}` });

test('a binary body becomes a file, whose address is the caller’s alone', async () => {
  const { keep, written } = world();
  expect(await keep(output(bytes(PNG)))).toEqual({
    answer: output(addressed('file_1')),
    stored: output(reference('file_1')),
  });
  expect(written).toEqual([PNG]);
});

test.each<[string, JsonObject, JsonObject?]>([
  ['a text', output('text', 'text/plain')],
  ['an object with such a member', output({ ...bytes(PNG), name: 'a' }, 'application/json')],
  ['JSON that holds an encoded text', output(bytes(Buffer.from('text')), 'application/json')],
  ['the result of an MCP tool', { content: [{ type: 'image', data: PNG.toString('base64') }] }],
  ['the output of another tool', { body: bytes(PNG) }],
  ['a body in which a secret was masked', output(bytes(PNG)), output({ base64: '***' })],
])('%s stays as it is', async (_what, received, masked = received) => {
  const { keep, written } = world();
  expect(await keep(received, masked)).toEqual({ answer: masked, stored: masked });
  expect(written).toEqual([]);
});

test('a body that cannot be stored stays as it is', async () => {
  const { keep, abandoned } = world(1);
  const received = output(bytes(PNG));
  expect(await keep(received)).toEqual({ answer: received, stored: received });
  expect(abandoned).toEqual(['file_1']);
});

const image = (data: Json) => ({ type: 'image', data, mimeType: 'image/png', annotations: { priority: 1 } });
const resource = (blob: Json) => ({
  type: 'resource',
  resource: { uri: 'a://b', blob, mimeType: 'image/png' },
});
const data = PNG.toString('base64');

test('what an MCP tool returns in bytes becomes files in their places, beside what else it returns', async () => {
  const { keep, written } = world();
  const text = { type: 'text', text: 'Here they are.' };
  const of = (first: Json, second: Json) => ({
    content: [text, image(first), resource(second)],
  });
  expect(await keep(of(data, data), undefined, true)).toEqual({
    answer: of(addressed('file_1'), addressed('file_2')),
    stored: of(reference('file_1'), reference('file_2')),
  });
  expect(written).toEqual([PNG, PNG]);
  const body = output(bytes(PNG));
  expect(await keep(body, undefined, true)).toEqual({ answer: body, stored: body });
});

test('of an MCP result, what is no base64 stays, and so does what a tool has structured itself', async () => {
  const { keep, written } = world();
  for (const same of [{ content: [image('track42')] }, { content: [image(data)], total: 1 }])
    expect(await keep(same, undefined, true)).toEqual({ answer: same, stored: same });
  expect(written).toEqual([]);
});

test('of an MCP result, bytes in which a secret was masked stay as they are', async () => {
  const { keep } = world();
  const kept = await keep(
    { content: [image(data), image(data)] },
    { content: [image('AA=='), image(data)] },
    true,
  );
  expect(kept.stored).toEqual({ content: [image('AA=='), image(reference('file_1'))] });
});

test('of an MCP result, no more than ten become files', async () => {
  const { keep, written } = world();
  const content = Array.from({ length: 12 }, () => image(data));
  const { stored } = await keep({ content }, undefined, true);
  expect(written).toHaveLength(10);
  expect(stored['content']).toEqual([
    ...content.slice(0, 10).map((_, index) => image(reference(`file_${index + 1}`))),
    ...content.slice(10),
  ]);
});

test('of an MCP result, what was stored before a failure is a file, and the rest stays as it is', async () => {
  const { keep, written } = world(2);
  const content = [image(data), image(data), image(data)];
  expect((await keep({ content }, undefined, true)).stored).toEqual({
    content: [image(reference('file_1')), image(data), image(data)],
  });
  expect(written).toHaveLength(1);
});
