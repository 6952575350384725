import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ApprovedFile } from '../../domain/approval.ts';
import { approval } from '../../testing/approvals.ts';
import { storedFile } from '../../testing/files.ts';
import { publishHeldFiles } from './publish-held-files.ts';

const input = { file: { url: 'https://files.test/a.txt' }, other: { base64: 'SGk=', name: 'b' } };
const described = { name: 'a.txt', contentType: 'text/plain', sizeBytes: 1, sha256: 'abc', text: null };
const kept: readonly ApprovedFile[] = [
  { ...described, field: 'file', heldFileId: 'file_1' },
  { ...described, field: 'other', heldFileId: null },
];

function publish(files: readonly ApprovedFile[], sha256 = 'abc') {
  const deps = {
    files: {
      publish: (_ctx: unknown, _accountId: string, { fileId }: { readonly fileId: string }) =>
        Promise.resolve(fileId === 'file_1' ? storedFile({ sha256 }) : undefined),
    },
    clock: new ManualClock(new Date(0)),
  };
  return publishHeldFiles(deps, testContext(), approval({ files }), input);
}

test('an address whose content is kept becomes the id of a file; other inputs stay', async () => {
  expect(await publish(kept)).toEqual({ ...input, file: { fileId: 'file_1' } });
  expect(await publish([])).toBe(input);
});

test('a content that is gone, or is another one, is refused', async () => {
  const refused = { code: 'VALIDATION_ERROR', details: [{ field: 'fields.file.url' }] };
  const gone = { ...described, field: 'file', heldFileId: 'file_2' };
  await expect(publish([gone])).rejects.toMatchObject(refused);
  await expect(publish(kept, 'another')).rejects.toMatchObject(refused);
});
