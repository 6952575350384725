// The pieces of connectors/packages.yaml.
import { checkPackages } from '../check-packages.ts';
import type { PackageCase } from '../check-packages.ts';

const CASES: Readonly<Record<string, PackageCase>> = {
  '@activepieces/piece-slack': {
    method: 1,
    fields: { botToken: 'xoxb-1' },
    action: 'slack_list_channels',
    props: { excludeArchived: false },
    request: 'POST https://slack.com/api/conversations.list',
    credential: ['authorization', 'Bearer xoxb-1'],
    answer: { ok: true, channels: [{ id: 'C1', name: 'general' }] },
    output: '"name":"general"',
  },
  '@activepieces/piece-intercom': {
    method: 1,
    fields: { accessToken: 'key', region: 'intercom' },
    action: 'list-all-tags',
    props: {},
    request: 'GET https://api.intercom.io/tags',
    credential: ['authorization', 'Bearer key'],
    answer: { type: 'list', data: [{ id: '1', name: 'VIP' }] },
    output: '"name":"VIP"',
  },
  '@activepieces/piece-notion': {
    method: 1,
    fields: { accessToken: 'key' },
    action: 'notion_list_users',
    props: {},
    request: 'GET https://api.notion.com/v1/users',
    credential: ['authorization', 'Bearer key'],
    answer: { object: 'list', results: [{ id: 'u1', name: 'Ada' }], has_more: false, next_cursor: null },
    output: '"name":"Ada"',
  },
  '@activepieces/piece-wordpress': {
    method: 0,
    fields: { username: 'ada', password: 'p', website_url: 'https://blog.example.com' },
    action: 'list_posts',
    props: {},
    request: 'GET https://blog.example.com/wp-json/wp/v2/posts',
    credential: ['authorization', `Basic ${Buffer.from('ada:p').toString('base64')}`],
    answer: [
      { id: 7, title: { rendered: 'Hello' }, status: 'publish', link: 'https://blog.example.com/hello' },
    ],
    output: 'Hello',
  },
};

await checkPackages(new URL('../../../connectors/packages.yaml', import.meta.url), CASES);
