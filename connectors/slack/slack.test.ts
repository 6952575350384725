import { expect, it } from 'vitest';
import { shippedConnector } from '@fairlead/connector-runtime/testing/shipped-connector';
import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';

const slack = (respond: (request: ReceivedRequest, count: number) => TestResponse) =>
  shippedConnector('slack', {
    origin: 'https://slack.com',
    authenticationId: 1,
    fields: { botToken: 'xoxb-1' },
    respond,
  });

it('sends a message as a form, with blocks as JSON in it', async () => {
  const { server, call } = await slack(() => ({
    body: { ok: true, channel: 'C1', ts: '1700000000.000100', message: { text: 'Hi', type: 'message' } },
  }));
  const blocks = [{ type: 'divider' }];
  expect(await call('slack-send-message', { channel: 'C1', text: 'a&b', blocks })).toEqual({
    isSuccess: true,
    output: { channel: 'C1', ts: '1700000000.000100' },
    attempts: 1,
  });
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: 'POST',
    path: '/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-1', 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    channel: 'C1',
    text: 'a&b',
    blocks: '[{"type":"divider"}]',
  });
});

it('fails with Slack’s own word, although the status is 200', async () => {
  const { call } = await slack(() => ({ body: { ok: false, error: 'channel_not_found' } }));
  expect(await call('slack-get-channel', { channel: 'C9' })).toMatchObject({
    isSuccess: false,
    isUnauthorized: false,
    errorMessage: 'Slack refused the call: channel_not_found',
  });
});

it('names the scope that a sign-in was not granted, when Slack refuses a call for want of it', async () => {
  const { call } = await shippedConnector('slack', {
    origin: 'https://slack.com',
    authenticationId: 0,
    accessToken: 'xoxb-2',
    grantedScopes: ['users:read', 'groups:history'],
    respond: () => ({ body: { ok: false, error: 'missing_scope' } }),
  });
  expect(await call('slack-send-message', { channel: 'C1', text: 'a' })).toMatchObject({
    errorMessage:
      'Slack refused the call: missing_scope. The connection was not granted the scope chat:write, which this tool needs. Sign in again to grant it.',
  });
  // One of several alternative scopes suffices.
  expect(await call('slack-list-messages', { channel: 'C1' })).toMatchObject({
    errorMessage: 'Slack refused the call: missing_scope',
  });
});

it('a revoked token is a refused credential', async () => {
  const { call } = await slack(() => ({ body: { ok: false, error: 'token_revoked' } }));
  expect(await call('slack-list-users')).toMatchObject({ isSuccess: false, isUnauthorized: true });
});

it('reads channels to the end by the cursor in the body, and keeps the useful members', async () => {
  const { server, call } = await slack(({ query }) => {
    const from = Number(query.get('cursor') ?? 0);
    const channels = [{ id: `C${from}`, name: `n${from}`, creator: 'U1', shared_team_ids: ['T1'] }];
    const response_metadata = { next_cursor: from < 2 ? String(from + 1) : '' };
    return { body: { ok: true, channels, response_metadata } };
  });
  expect(
    await call('slack-list-channels', { types: ['public_channel', 'private_channel'] }, { top: 50 }),
  ).toMatchObject({ output: { items: [0, 1, 2].map((id) => ({ id: `C${id}`, name: `n${id}` })) } });
  expect(server.requests.map(({ query }) => query.toString())).toEqual([
    'types=public_channel%2Cprivate_channel&limit=50',
    'types=public_channel%2Cprivate_channel&limit=50&cursor=1',
    'types=public_channel%2Cprivate_channel&limit=50&cursor=2',
  ]);
});

it('names people of an invitation in one parameter', async () => {
  const { server, call } = await slack(() => ({ body: { ok: true, channel: { id: 'C1' } } }));
  await call('slack-invite-to-channel', { channel: 'C1', users: ['U1', 'U2'] });
  expect(server.requests[0]?.body).toBe('channel=C1&users=U1%2CU2');
});

it('waits as long as Slack says after a 429, and reads again', async () => {
  const { call } = await slack((_request, count) =>
    count === 1
      ? { status: 429, headers: { 'retry-after': '0' }, body: { ok: false, error: 'ratelimited' } }
      : { body: { ok: true, user: { id: 'U1' } } },
  );
  expect(await call('slack-get-user', { user: 'U1' })).toMatchObject({
    output: { id: 'U1' },
    attempts: 2,
  });
});
