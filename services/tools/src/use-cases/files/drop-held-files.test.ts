import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { approval } from '../../testing/approvals.ts';
import { dropHeldFiles } from './drop-held-files.ts';

const described = { name: 'a', contentType: 'text/plain', sizeBytes: 1, sha256: 'abc', text: null };
const NOW = new Date(0);

async function drop(heldFileIds: readonly (string | null)[], isAway = false): Promise<unknown[]> {
  const dropped: unknown[] = [];
  const files = {
    dropHeld(...of: unknown[]) {
      dropped.push(of);
      return isAway ? Promise.reject(new Error('no database')) : Promise.resolve();
    },
  };
  const approved = heldFileIds.map((heldFileId) => ({ ...described, field: 'file', heldFileId }));
  const deps = { files, clock: new ManualClock(NOW) };
  await dropHeldFiles(deps, testContext({ accountId: 'mine' }), approval({ files: approved }));
  return dropped;
}

test('what an approval keeps is removed; one that keeps nothing costs nothing', async () => {
  const { approvalId } = approval();
  expect(await drop([null, 'file_1'])).toEqual([['mine', { approvalId }, NOW]]);
  expect(await drop([null])).toEqual([]);
});

test('a removal that fails is left to the sweep', async () => {
  expect(await drop(['file_1'], true)).toHaveLength(1);
});
