import { expect, it } from 'vitest';
import { changedSend, changingServer, ctx, send, upstream } from '../../testing/changing-server.ts';
import { mcpServer } from '../../testing/servers.ts';
import { acceptChanges } from './accept-changes.ts';

it('a changed tool of an MCP server is held and recorded with the time of its change, until it is accepted', async () => {
  const { deps, serve, record, set, clock, announcedOf } = changingServer();
  expect(await serve()).toEqual([]);
  set(changedSend, upstream('new'));
  clock.advance(5);
  expect(await serve()).toEqual(['send']);
  clock.advance(5);
  expect(await record()).toEqual([['send', 5]]);
  await acceptChanges(deps, ctx, 'known');
  expect(announcedOf).toEqual([`acc_1 ${mcpServer().id}`]);
  expect([await record(), await serve()]).toEqual([[], []]);
  set(send);
  expect(await serve()).toEqual(['send']);
  await expect(acceptChanges(deps, ctx, 'unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
