import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { storedFile } from '../../testing/files.ts';
import { findFileInputs } from './find-file-inputs.ts';

test('a file of the account passes, any other id is NOT_FOUND, and another form VALIDATION_ERROR', async () => {
  const find = (_ctx: unknown, accountId: string, fileId: string) =>
    Promise.resolve(accountId === 'acc_1' && fileId === 'file_1' ? storedFile() : undefined);
  const deps = { clock: new ManualClock(new Date(0)), files: { find } };
  const inputSchema = { type: 'object', properties: { file: { type: 'object', format: 'file' } } };
  const check = (file: object) =>
    findFileInputs(deps, testContext({ accountId: 'acc_1' }), { inputSchema }, { file: { ...file } });
  await check({ fileId: 'file_1' });
  await check({ url: 'https://x.test' });
  await expect(check({ fileId: 'file_2' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(check({})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});
