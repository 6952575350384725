import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MAX_FILE_BYTES } from '../../domain/file.ts';
import type { FileLabel } from '../../domain/file.ts';
import type { Files } from '../../ports/files.ts';
import { allOf } from '../../testing/files.ts';
import { uploadFile } from './upload-file.ts';

const ctx = testContext({ accountId: 'acc_1' });
const label: FileLabel = { name: 'a.txt', contentType: 'text/plain' };

async function* content(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('x'));
}

/** A file store that records its calls. */
function world(sha256 = 'abc', failure?: Error) {
  const done: string[] = [];
  const files: Pick<Files, 'open' | 'write' | 'abandon'> = {
    open: (_ctx, accountId, { maxBytes }) => {
      done.push(`open ${accountId} ${maxBytes}`);
      return Promise.resolve('file_1');
    },
    write: async (_ctx, _accountId, fileId, pieces) => {
      done.push(`write ${fileId} ${(await allOf(pieces)).length}`);
      if (failure) throw failure;
      return { sizeBytes: 1, sha256 };
    },
    abandon: (accountId, fileId) => {
      done.push(`abandon ${accountId} ${fileId}`);
      return Promise.reject(new Error('no database'));
    },
  };
  return { done, deps: { files, clock: new ManualClock(new Date(0)) } };
}

test('an upload is written and not abandoned', async () => {
  const { deps, done } = world();
  expect(await uploadFile(deps, ctx, label, content())).toMatchObject({ fileId: 'file_1' });
  expect(done).toEqual([`open acc_1 ${MAX_FILE_BYTES}`, 'write file_1 1']);
});

test('the digest tells content, name and type apart, and nothing else', async () => {
  const digest = async (given: FileLabel, sha256: string): Promise<string> =>
    (await uploadFile(world(sha256).deps, ctx, given, content())).digest;
  const first = await digest(label, 'abc');
  expect(await digest({ ...label }, 'abc')).toBe(first);
  for (const other of [
    await digest(label, 'abd'),
    await digest({ ...label, name: 'b.txt' }, 'abc'),
    await digest({ ...label, contentType: 'text/css' }, 'abc'),
  ])
    expect(other).not.toBe(first);
});

test('a failed upload is abandoned, and its failure is the caller’s even if that fails too', async () => {
  const { deps, done } = world('abc', new Error('gone'));
  await expect(uploadFile(deps, ctx, label, content())).rejects.toThrow('gone');
  expect(done.at(-1)).toBe('abandon acc_1 file_1');
});
