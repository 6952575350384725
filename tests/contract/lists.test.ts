import { describe, expect } from 'vitest';
import { expectError, expectList, get } from './support/api.ts';
import { row } from './support/row.ts';

const lists = ['/v1/applications', '/v1/tools', '/v1/connections', '/v1/executions', '/admin/v1/connections'];

describe('lists', () => {
  row(
    [
      'list-envelope-all-list-endpoints.1',
      'list-envelope-all-list-endpoints.2',
      'list-envelope-all-list-endpoints.3',
      'list-envelope-all-list-endpoints.4',
      'limits.3',
      'completion.everywhere.6',
    ],
    'every list returns items, totalCount, offset and top, from offset 0',
    async () => {
      for (const path of lists) {
        const { items, totalCount, offset } = expectList(await get(path));
        expect(offset, path).toBe(0);
        expect(totalCount, path).toBeGreaterThanOrEqual(items.length);
      }
    },
  );

  row(
    ['limits.1', 'limits.2', 'completion.everywhere.6'],
    'top defaults to 100, on connections to 25',
    async () => {
      for (const path of lists) {
        const { top } = expectList(await get(path));
        expect(top, path).toBe(path.endsWith('/connections') ? 25 : 100);
      }
    },
  );

  row('limits.6', 'a client that pages until the end sees every record once', async () => {
    const whole = expectList(await get('/v1/tools'));
    expect(whole.totalCount).toBeGreaterThan(10);
    const seen: string[] = [];
    for (let offset = 0; ;) {
      const page = expectList(await get(`/v1/tools?offset=${offset}&top=3`));
      seen.push(...page.items.map((it) => `${it.applicationSlug}/${it.toolSlug}`));
      offset += page.items.length;
      if (offset >= page.totalCount) break;
    }
    expect(seen.length).toBe(whole.totalCount);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 100)).toEqual(whole.items.map((it) => `${it.applicationSlug}/${it.toolSlug}`));
  });

  row(
    ['limits.3', 'endpoints.1'],
    'an offset beyond the end is an empty page with the true totalCount',
    async () => {
      const first = expectList(await get('/v1/applications'));
      const beyond = expectList(await get('/v1/applications?offset=2000000'));
      expect(beyond).toEqual({ items: [], totalCount: first.totalCount, offset: 2_000_000, top: 100 });
    },
  );

  row(
    ['errors.12', 'completion.everywhere.7'],
    'offset and top that are no integers or out of range are named',
    async () => {
      for (const path of lists) {
        for (const top of ['0', '101', '-1', 'ten', '1.5', '1e1', '99999999999999']) {
          expectError(await get(`${path}?top=${top}`), 400, 'VALIDATION_ERROR', ['top']);
        }
        for (const offset of ['-1', 'x', '0.5', '99999999999999']) {
          expectError(await get(`${path}?offset=${offset}`), 400, 'VALIDATION_ERROR', ['offset']);
        }
        expectError(await get(`${path}?offset=-1&top=0`), 400, 'VALIDATION_ERROR', ['offset', 'top']);
      }
    },
  );
});
