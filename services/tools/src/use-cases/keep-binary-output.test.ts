import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { allOf, storedFile } from '../testing/files.ts';
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

function world(failure?: Error) {
  const written: Buffer[] = [];
  const abandoned: string[] = [];
  const deps: KeepBinaryOutputDeps = {
    clock: new ManualClock(new Date(0)),
    urls: { urlOf: (accountId, fileId) => `https://x/${accountId}/${fileId}` },
    files: {
      open: () => Promise.resolve('file_1'),
      write: async (_ctx, _accountId, _fileId, content) => {
        if (failure) throw failure;
        written.push(Buffer.concat(await allOf(content)));
        return { sizeBytes: 6, sha256: 'abc' };
      },
      commit: () => Promise.resolve(storedFile({ sizeBytes: 6, contentType: 'image/png' })),
      abandon: (_accountId, fileId) => Promise.resolve(void abandoned.push(fileId)),
    },
  };
  const keep = (received: JsonObject, masked = received) => keepBinaryOutput(deps, ctx, received, masked);
  return { keep, written, abandoned };
}

test('a binary body becomes a file, whose address is the caller’s alone', async () => {
  const { keep, written } = world();
  const reference = { fileId: 'file_1', sizeBytes: 6, sha256: 'abc', contentType: 'image/png' };
  expect(await keep(output(bytes(PNG)))).toEqual({
    answer: output({ ...reference, url: 'https://x/acc_1/file_1' }),
    stored: output(reference),
  });
  expect(written).toEqual([PNG]);
});

test.each<[string, JsonObject, JsonObject?]>([
  ['a text', output('text', 'text/plain')],
  ['an object with such a member', output({ ...bytes(PNG), name: 'a' }, 'application/json')],
  ['JSON that holds an encoded text', output(bytes(Buffer.from('text')), 'application/json')],
  ['the output of another tool', { body: bytes(PNG) }],
  ['a body in which a secret was masked', output(bytes(PNG)), output({ base64: '***' })],
])('%s stays as it is', async (_what, received, masked = received) => {
  const { keep, written } = world();
  expect(await keep(received, masked)).toEqual({ answer: masked, stored: masked });
  expect(written).toEqual([]);
});

test('a body that cannot be stored stays as it is', async () => {
  const { keep, abandoned } = world(new Error('no database'));
  const received = output(bytes(PNG));
  expect(await keep(received)).toEqual({ answer: received, stored: received });
  expect(abandoned).toEqual(['file_1']);
});
