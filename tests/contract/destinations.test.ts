import { describe, expect } from 'vitest';
import { expectStatus } from './support/accounts.ts';
import { del, expectError, expectList, get, patch, post } from './support/api.ts';
import { row } from './support/row.ts';

const path = '/v1/triggers/destinations';
const url = 'https://receiver.example/events';

async function create(members: Record<string, unknown> = {}): Promise<Record<string, any>> {
  return expectStatus(await post(path, { url, ...members }), 201).body;
}

describe('A destination', () => {
  row(
    ['completion.names.4', 'completion.triggers.33', 'completion.triggers.34', 'completion.triggers.37'],
    'is created, read, listed, changed and deleted; only create shows its secret',
    async () => {
      const { signingSecret, ...created } = await create({ name: 'Ours', headers: { 'X-Team': 'blue' } });
      const { id, createdAt, updatedAt, ...record } = created;
      expect(id).toMatch(/^dst_[0-9A-Za-z]{22}$/);
      expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(updatedAt).toBe(createdAt);
      expect(record).toEqual({
        name: 'Ours',
        url,
        headers: { 'x-team': null },
        isEnabled: true,
        disabledReason: null,
        consecutiveFailures: 0,
        maxConsecutiveFailures: 5,
      });
      const one = `${path}/${String(id)}`;
      expect((await get(one)).body).toEqual(created);
      const { items, totalCount } = expectList(await get(path));
      expect([items[0], totalCount]).toEqual([created, items.length]);
      const changed = expectStatus(await patch(one, { name: 'Theirs' }), 200).body;
      expect(changed).toEqual({ ...created, name: 'Theirs', updatedAt: changed.updatedAt });
      expect((await del(one)).status).toBe(204);
      expectError(await get(one), 404, 'NOT_FOUND');
      expectError(await del(one), 404, 'NOT_FOUND');
    },
  );

  row(
    ['completion.triggers.35', 'completion.triggers.36'],
    'is disabled by 5 failures unless its account says otherwise, in either spelling',
    async () => {
      expect(await create({ maxConsecutiveFailures: 100 })).toMatchObject({ maxConsecutiveFailures: 100 });
      const { id, maxConsecutiveFailures } = await create({ max_consecutive_failures: 1 });
      expect(maxConsecutiveFailures).toBe(1);
      const changed = await patch(`${path}/${String(id)}`, { max_consecutive_failures: 7 });
      expect(changed.body.maxConsecutiveFailures).toBe(7);
      for (const count of [0, 101, 1.5]) {
        const sent = { url, maxConsecutiveFailures: count };
        expectError(await post(path, sent), 400, 'VALIDATION_ERROR', ['maxConsecutiveFailures']);
      }
      const both = { url, maxConsecutiveFailures: 2, max_consecutive_failures: 3 };
      expectError(await post(path, both), 400, 'VALIDATION_ERROR', ['max_consecutive_failures']);
    },
  );

  row(
    ['completion.triggers.38', 'completion.triggers.39'],
    'has headers of its own, whose values nobody reads, and no reserved ones',
    async () => {
      const { id, headers } = await create({ headers: { Authorization: 'Bearer of-the-receiver' } });
      expect(headers).toEqual({ authorization: null });
      const one = `${path}/${String(id)}`;
      const changed = await patch(one, { headers: { authorization: null, 'x-more': '1' } });
      expect(changed.body.headers).toEqual({ authorization: null, 'x-more': null });
      expect((await get(one)).text).not.toContain('of-the-receiver');
      for (const name of ['fairlead-x', 'Webhook-Id', 'content-type', 'Content-Length', 'host']) {
        const sent = { url, headers: { [name]: 'x' } };
        expectError(await post(path, sent), 400, 'VALIDATION_ERROR', [`headers.${name}`]);
        expectError(await patch(one, sent), 400, 'VALIDATION_ERROR', [`headers.${name}`]);
      }
      expectError(await patch(one, { headers: { 'x-unknown': null } }), 400, 'VALIDATION_ERROR', [
        'headers.x-unknown',
      ]);
      expectError(await post(path, { url, headers: { 'x-a': 1 } }), 400, 'VALIDATION_ERROR', ['headers.x-a']);
    },
  );

  row(
    'completion.triggers.89',
    'keeps its headers at their origin: another one needs them again, or none, and is refused whole without',
    async () => {
      const { id } = await create({ headers: { authorization: 'Bearer of-the-receiver', 'x-team': 'blue' } });
      const one = `${path}/${String(id)}`;
      const before = (await get(one)).body;
      const elsewhere = { name: 'Elsewhere', url: 'https://elsewhere.example/events', isEnabled: false };
      for (const headers of [
        {},
        { headers: { authorization: null } },
        { headers: { authorization: 'new', 'x-team': null } },
      ])
        expectError(await patch(one, { ...elsewhere, ...headers }), 400, 'VALIDATION_ERROR', ['headers']);
      for (const other of ['http://receiver.example/events', 'https://receiver.example:8443/events'])
        expectError(await patch(one, { url: other }), 400, 'VALIDATION_ERROR', ['headers']);
      expect((await get(one)).body).toEqual(before);
      const samePlace = await patch(one, { url: 'https://RECEIVER.example:443/other?path=1' });
      expect(expectStatus(samePlace, 200).body.headers).toEqual(before.headers);
      const again = await patch(one, { ...elsewhere, headers: { authorization: 'Bearer again' } });
      expect(expectStatus(again, 200).body).toMatchObject({
        ...elsewhere,
        headers: { authorization: null },
      });
      expect(expectStatus(await patch(one, { url, headers: {} }), 200).body).toMatchObject({
        url,
        headers: {},
      });
      // A destination without headers has none to keep.
      expectStatus(await patch(one, { url: elsewhere.url }), 200);
    },
  );

  row('completion.triggers.40', 'shows why it is disabled', async () => {
    const { id, ...created } = await create({ isEnabled: false });
    expect(created).toMatchObject({ isEnabled: false, disabledReason: 'owner' });
    const one = `${path}/${String(id)}`;
    const enabled = await patch(one, { isEnabled: true });
    expect(enabled.body).toMatchObject({ isEnabled: true, disabledReason: null });
    const disabled = await patch(one, { isEnabled: false });
    expect(disabled.body).toMatchObject({ isEnabled: false, disabledReason: 'owner' });
  });
});
