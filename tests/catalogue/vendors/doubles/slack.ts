import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { bearerOf, pageOf, startDouble } from './double.ts';
import type { Double } from './double.ts';

/** Number of channels in its workspace. */
export const CHANNELS = 5;

const channels = Array.from({ length: CHANNELS }, (_, index) => ({
  id: `C0610000${index}`,
  name: `channel-${index}`,
  is_channel: true,
  is_group: false,
  is_im: false,
  is_mpim: false,
  is_private: false,
  created: 1_449_252_889 + index,
  is_archived: false,
  is_general: index === 0,
  unlinked: 0,
  name_normalized: `channel-${index}`,
  is_shared: false,
  is_org_shared: false,
  is_pending_ext_shared: false,
  pending_shared: [],
  context_team_id: 'T0610',
  updated: 1_661_952_018_906,
  creator: 'U0610',
  is_ext_shared: false,
  shared_team_ids: ['T0610'],
  is_member: true,
  topic: { value: `Topic ${index}`, creator: '', last_set: 0 },
  purpose: { value: '', creator: '', last_set: 0 },
  previous_names: [],
  num_members: 4,
}));

type Message = Readonly<Record<string, unknown>> & { readonly ts: string };

/** A refusal, with status 200. */
const refusal = (error: string): TestResponse => ({ body: { ok: false, error } });

/** Starts the double of Slack: failures have status 200, the app uses token rotation, and the person's tokens are beside the bot's. */
export function startSlack(): Promise<Double> {
  const messages: Message[] = [{ ts: '1449252889.000100' }];
  return startDouble(() => ({
    add: (record) => messages.push({ type: 'message', ...record, ts: now() }),
    placeOf: (path) =>
      path === '/oauth/v2/authorize' ? 'authorize' : path === '/api/oauth.v2.access' ? 'token' : 'api',
    prefixes: { access: 'xoxe.xoxb-1-', refresh: 'xoxe-1-' },
    rotates: true,
    granted: ({ accessToken, refreshToken, scope }) => ({
      ok: true,
      app_id: 'A0610',
      authed_user: {
        id: 'U0610',
        scope: 'search:read',
        access_token: 'xoxe.xoxp-1-of-the-person',
        token_type: 'user',
        refresh_token: 'xoxe-1-of-the-person',
        expires_in: 43_200,
      },
      scope,
      token_type: 'bot',
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_in: 43_200,
      bot_user_id: 'U0611',
      team: { id: 'T0610', name: 'Analytical Engines' },
      enterprise: null,
      is_enterprise_install: false,
    }),
    refused: {
      client: refusal('bad_client_secret'),
      code: refusal('invalid_code'),
      refreshToken: refusal('invalid_refresh_token'),
    },
    tokenOf: bearerOf,
    unauthorized: refusal('token_expired'),
    answer: ({ path, query }) => {
      if (path === '/api/auth.test') return { body: { ok: true, team: 'Analytical Engines', user: 'bot' } };
      if (path === '/api/conversations.history') return history(messages, query);
      if (path !== '/api/conversations.list') return refusal('unknown_method');
      const page = pageOf(channels, query.get('cursor'));
      return {
        body: { ok: true, channels: page.items, response_metadata: { next_cursor: page.next ?? '' } },
      };
    },
  }));
}

/** The time as a timestamp of a message. */
function now(): string {
  return `${(Date.now() / 1_000).toFixed(3)}000`;
}

/** Messages since a time, which counts only if it is said to, with the newest first. */
function history(messages: readonly Message[], query: URLSearchParams): TestResponse {
  const oldest = Number(query.get('oldest') ?? 0);
  const isIncluded = query.get('inclusive') === 'true';
  const found = messages.filter(({ ts }) => (isIncluded ? Number(ts) >= oldest : Number(ts) > oldest));
  const { items, next } = pageOf(found.toReversed(), query.get('cursor'), Number(query.get('limit') ?? 100));
  return {
    body: {
      ok: true,
      messages: items,
      has_more: next !== undefined,
      response_metadata: { next_cursor: next ?? '' },
    },
  };
}
