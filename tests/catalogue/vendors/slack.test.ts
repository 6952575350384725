import { beforeAll, describe, expect, it } from 'vitest';
import { CHANNELS } from './doubles/slack.ts';
import {
  expectFiring,
  expectRefusal,
  expectRenewals,
  expectSignInNeeded,
  expectSuccess,
  signInTo,
} from './support/walk.ts';
import type { Walk } from './support/walk.ts';

const LIST = 'slack-list-channels';
const limited = { status: 429, headers: { 'retry-after': '1' }, body: { ok: false, error: 'ratelimited' } };

describe('Slack', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await signInTo('slack');
  });

  it('signs in as the bot, whose scopes are separated by commas, beside a token of the person', async () => {
    const { connection, signIn, execute, double } = walk;
    const [asked] = signIn;
    expect(asked?.query['scope']).toMatch(/^channels:read,groups:read,/);
    expect(asked?.query).not.toHaveProperty('code_challenge');
    expect(connection.status).toBe('Active');
    expect(connection.grantedScopes).toEqual(expect.arrayContaining(['channels:read', 'chat:write']));
    await double.received();
    expectSuccess(await execute(LIST, {}, { top: 1 }));
    const [request] = await double.received();
    expect(request?.headers['authorization']).toMatch(/^Bearer xoxe\.xoxb-/);
  });

  it('reads a list over several pages', async () => {
    await walk.double.received();
    const output = expectSuccess(await walk.execute(LIST, { types: ['public_channel', 'private_channel'] }));
    const names = Array.from({ length: CHANNELS }, (_, index) => ({ name: `channel-${index}` }));
    expect(output).toMatchObject({ items: names });
    const pages = await walk.double.received();
    expect(pages.map(({ path, query }) => [path, query['types'], query['cursor'] ?? null])).toEqual([
      ['/api/conversations.list', 'public_channel,private_channel', null],
      ['/api/conversations.list', 'public_channel,private_channel', expect.any(String)],
      ['/api/conversations.list', 'public_channel,private_channel', expect.any(String)],
    ]);
  });

  it('fires for a message of a channel, of which the newest comes first', async () => {
    const requests = await expectFiring(walk, {
      triggerTypeSlug: 'slack-message-sent',
      configuration: { channel: 'C06100000' },
      record: { user: 'U0610', text: 'Hello' },
      payload: { user: 'U0610', text: 'Hello' },
    });
    const histories = requests.filter(({ path }) => path === '/api/conversations.history');
    expect(histories[0]?.query).toEqual({ channel: 'C06100000', limit: '1' });
    const last = histories.at(-1)?.query;
    expect(last).toMatchObject({ channel: 'C06100000', inclusive: 'true' });
    expect(last?.['oldest']).toMatch(/^\d{10}$/);
  });

  it('renews an expired token again and again, with the refresh token that came last', async () => {
    await expectRenewals(walk, () => walk.execute(LIST));
  });

  it('waits as long as a limit says before it reads again, and does not repeat a message', async () => {
    await walk.double.answer(limited);
    const read = await walk.execute(LIST, {}, { top: 1 });
    expectSuccess(read);
    expect(read.executionInfo.attempts).toBe(2);
    await walk.double.answer(limited);
    const message = { channel: 'C06100000', text: 'Hello' };
    expectRefusal(await walk.execute('slack-send-message', message), 'Slack responded with 429: ratelimited');
  });

  it('says why a call was refused, though the status is 200', async () => {
    await walk.double.answer({ body: { ok: false, error: 'channel_not_found' } });
    const message = { channel: 'C0NONE', text: 'Hello' };
    expectRefusal(
      await walk.execute('slack-send-message', message),
      'Slack refused the call: channel_not_found',
    );
  });

  it('needs a new sign-in once the refresh token is refused', async () => {
    await walk.double.order({ revoke: true });
    expect(await walk.execute(LIST)).toMatchObject({ isSuccess: false });
    await expectSignInNeeded(walk, 'invalid_refresh_token');
  });
});
