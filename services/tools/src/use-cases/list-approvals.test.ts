import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { approval } from '../testing/approvals.ts';
import { listApprovals } from './list-approvals.ts';

it('leaves out the largest fields and texts of files of a page that is too large to be sent', async () => {
  const small = approval({ fields: { to: 'Ada' } });
  const large = approval({ fields: { text: 'x'.repeat(1_500_000) } });
  const page = { offset: 0, top: 100 };
  const list = async (...items: (typeof small)[]) => {
    const approvals = { list: () => Promise.resolve({ items, totalCount: items.length }) };
    const deps = { approvals, clock: new ManualClock(small.createdAt) };
    return (await listApprovals(deps, testContext(), { status: undefined, page })).items;
  };
  expect(await list(small, large)).toEqual([small, large]);
  const filtered = approval({ query: { filters: [{ value: 'x'.repeat(1_500_000) }] } });
  const cut = { '[cut]': 'Ask for a page with fewer approvals.' };
  expect(await list(filtered, small, filtered)).toEqual([
    { ...filtered, fields: cut, query: cut },
    small,
    filtered,
  ]);
  const [first, second, third] = await list(large, small, large);
  expect([first?.fields, second, third]).toEqual([
    { '[cut]': 'Ask for a page with fewer approvals.' },
    small,
    large,
  ]);
  const described = { field: 'file', name: 'a', contentType: 'text/plain', sizeBytes: 1, sha256: 'abc' };
  const withText = (text: string) => approval({ files: [{ ...described, text, heldFileId: null }] });
  const long = withText('x'.repeat(1_500_000));
  const [shortened, short] = await list(long, withText('Hi'), long);
  expect([shortened?.files[0], short]).toEqual([
    { ...described, text: '[cut] Ask for a page with fewer approvals.', heldFileId: null },
    withText('Hi'),
  ]);
});
