import { createHash } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { storedFile } from '../../testing/files.ts';
import { describeFileInputs } from './describe-file-inputs.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const file = { format: 'file' };

function describe(fields: JsonObject, properties: JsonObject = { file, other: {} }): Promise<LazyObject> {
  const stored = storedFile({
    name: 'a.txt',
    contentType: 'application/octet-stream',
    sizeBytes: 2,
    sha256: sha256('Hi'),
  });
  const deps = {
    files: {
      find: (_ctx: unknown, accountId: string, fileId: string) =>
        Promise.resolve(accountId === 'mine' && fileId === 'file_1' ? stored : undefined),
    },
    clock: new ManualClock(new Date(0)),
  };
  return describeFileInputs(
    deps,
    testContext({ accountId: 'mine' }),
    { inputSchema: { properties } },
    fields,
  );
}

const inline = (text: string, name = 'a.txt') => ({
  file: { base64: Buffer.from(text).toString('base64'), name },
});

test('equal contents under the same name are equal, whether they come with the call or are stored', async () => {
  const described = {
    name: 'a.txt',
    contentType: 'application/octet-stream',
    sizeBytes: 2,
    sha256: sha256('Hi'),
  };
  expect(await describe({ ...inline('Hi'), other: 1 })).toEqual({ file: described, other: 1 });
  expect(await describe({ file: { fileId: 'file_1' } })).toEqual({ file: described });
  expect(await describe(inline('Ho'))).toEqual({ file: { ...described, sha256: sha256('Ho') } });
  expect(await describe(inline('Hi', 'b.txt'))).toEqual({ file: { ...described, name: 'b.txt' } });
});

test('an address stands for itself, and what is no file stays as it is', async () => {
  const url = 'https://files.test/a.txt';
  expect(await describe({ file: { url, note: 'x' }, other: { url } })).toEqual({
    file: { url },
    other: { url },
  });
  expect(await describe({ file: null })).toEqual({ file: null });
});

test('a file that is gone and more files than can be approved are refused', async () => {
  await expect(describe({ file: { fileId: 'file_2' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const names = Array.from({ length: 11 }, (_, index) => `file${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, file]));
  const fields = Object.fromEntries(names.map((name) => [name, { url: 'https://files.test' }]));
  await expect(describe(fields, properties)).rejects.toMatchObject({
    details: [{ field: 'fields', issue: 'must have at most 10 files for a call that has to be approved' }],
  });
});
