import { expect, it } from 'vitest';
import { compareDefinitions } from './changed-tools.ts';
import type { ServedDefinition } from './changed-tools.ts';

const THEN = new Date(1);
const NOW = new Date(2);
const none = { held: [], added: [], changed: [], restored: [] };
const tool = (toolSlug: string, fingerprint: string, upstreamName = toolSlug, applicationSlug = 'mcp-8') => ({
  applicationSlug,
  toolSlug,
  definition: { upstreamName, fingerprint },
});
const changedTo = (served: ServedDefinition, fingerprint: string, at: Date): ServedDefinition => ({
  ...served,
  changed: { upstreamName: served.definition.upstreamName, fingerprint, at },
});

it('a tool that is new is served as it is, once for all its connections', () => {
  expect(compareDefinitions([], [tool('a', '1'), tool('a', '1')], NOW)).toEqual({
    ...none,
    added: [tool('a', '1')],
  });
  expect(compareDefinitions([tool('a', '1')], [tool('a', '1')], NOW)).toEqual(none);
  // The same slug and name in another application is a different tool.
  const other = tool('a', '2', 'a', 'mcp-9');
  expect(compareDefinitions([tool('a', '1')], [other], NOW)).toEqual({ ...none, added: [other] });
});

it.each([
  ['texts or schemas', tool('a', '2')],
  ['name', tool('a', '1', 'A')],
])('a tool whose %s changed is held', (_what, now) => {
  const { toolSlug, applicationSlug, definition } = now;
  const change = { toolSlug, applicationSlug, changed: { ...definition, at: NOW } };
  expect(compareDefinitions([tool('a', '1')], [now], NOW)).toEqual({
    ...none,
    held: [change],
    changed: [change],
  });
});

it('a held tool keeps the time of its change, gets a new one when it changes again, and is served when it is as it was', () => {
  const stored = [changedTo(tool('a', '1'), '2', THEN)];
  expect(compareDefinitions(stored, [tool('a', '2')], NOW)).toMatchObject({
    held: [{ changed: { at: THEN } }],
    changed: [],
  });
  expect(compareDefinitions(stored, [tool('a', '3')], NOW)).toMatchObject({
    held: [{ changed: { fingerprint: '3', at: NOW } }],
    changed: [{ toolSlug: 'a' }],
  });
  expect(compareDefinitions(stored, [tool('a', '1')], NOW)).toEqual({
    ...none,
    restored: [{ applicationSlug: 'mcp-8', toolSlug: 'a' }],
  });
});

it('a tool that gets another slug is compared with what it was under the former one', () => {
  const stored = [tool('delete-item', '1', 'DeleteItem')];
  const taker = tool('delete-item', '9', 'delete-item');
  const same = tool('delete-item-2', '1', 'DeleteItem');
  expect(compareDefinitions(stored, [taker, same], NOW)).toMatchObject({
    held: [{ toolSlug: 'delete-item' }],
    added: [same],
  });
  const changed = tool('delete-item-2', '2', 'DeleteItem');
  const { held, added } = compareDefinitions(stored, [taker, changed], NOW);
  expect(held).toMatchObject([{ toolSlug: 'delete-item' }, { toolSlug: 'delete-item-2' }]);
  expect(added).toMatchObject([{ definition: { fingerprint: '1' }, changed: { fingerprint: '2' } }]);
});

it('a tool that was gone is compared when it comes back', () => {
  const stored = [tool('a', '1')];
  expect(compareDefinitions(stored, [], NOW)).toEqual(none);
  expect(compareDefinitions(stored, [tool('a', '2')], NOW).held).toHaveLength(1);
});
