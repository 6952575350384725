// The pieces of connectors/packages.yaml, fetched: each is imported, and one of its tools runs in a worker, at an egress that records.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { importPiece } from '@fairlead/connector-import/piece/import-piece';
import { packageList, readAllowedPackages } from '@fairlead/connector-model/packages/allowed-package';
import { fetchPackages } from '@fairlead/connector-model/packages/fetch-packages';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createPackageWorkers } from '@fairlead/connector-runtime/packages/package-workers';
import type { Egress, EgressRequest } from '@fairlead/egress/egress';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { CACHE } from '../cache.ts';

interface Case {
  /** Position of the sign-in in the piece. */
  readonly method: number;
  readonly fields: JsonObject;
  readonly action: string;
  readonly props: JsonObject;
  /** The request that the vendor gets, and its answer. */
  readonly request: string;
  readonly authorization: string;
  readonly answer: JsonObject | readonly JsonObject[];
  /** A part of the output. */
  readonly output: string;
}

const CASES: Readonly<Record<string, Case>> = {
  '@activepieces/piece-slack': {
    method: 1,
    fields: { botToken: 'xoxb-1' },
    action: 'slack_list_channels',
    props: { excludeArchived: false },
    request: 'POST https://slack.com/api/conversations.list',
    authorization: 'Bearer xoxb-1',
    answer: { ok: true, channels: [{ id: 'C1', name: 'general' }] },
    output: '"name":"general"',
  },
  '@activepieces/piece-intercom': {
    method: 1,
    fields: { accessToken: 'key', region: 'intercom' },
    action: 'list-all-tags',
    props: {},
    request: 'GET https://api.intercom.io/tags',
    authorization: 'Bearer key',
    answer: { type: 'list', data: [{ id: '1', name: 'VIP' }] },
    output: '"name":"VIP"',
  },
  '@activepieces/piece-notion': {
    method: 1,
    fields: { accessToken: 'key' },
    action: 'notion_list_users',
    props: {},
    request: 'GET https://api.notion.com/v1/users',
    authorization: 'Bearer key',
    answer: { object: 'list', results: [{ id: 'u1', name: 'Ada' }], has_more: false, next_cursor: null },
    output: '"name":"Ada"',
  },
  '@activepieces/piece-wordpress': {
    method: 0,
    fields: { username: 'ada', password: 'p', website_url: 'https://blog.example.com' },
    action: 'list_posts',
    props: {},
    request: 'GET https://blog.example.com/wp-json/wp/v2/posts',
    authorization: `Basic ${Buffer.from('ada:p').toString('base64')}`,
    answer: [
      { id: 7, title: { rendered: 'Hello' }, status: 'publish', link: 'https://blog.example.com/hello' },
    ],
    output: 'Hello',
  },
};

const directory = join(CACHE, 'packages');
const list = new URL('../../../connectors/packages.yaml', import.meta.url);
const { packages: pinned } = packageList.parse(parseYaml(await readFile(list, 'utf8')));
await fetchPackages(pinned, directory);

const requests: EgressRequest[] = [];
let answer: Case['answer'] = {};
/** Answers each request as the case says, and sends none. */
const egress: Pick<Egress, 'request'> = {
  request: async (request) => {
    requests.push(request);
    const body = Buffer.from(JSON.stringify(answer));
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body, isTruncated: false, url: request.url };
  },
};
const workers = createPackageWorkers({
  packages: await readAllowedPackages(directory),
  egress,
  log: createLogger({ service: 'pieces', level: 'warn' }),
});
const options = { accountId: 'account', timeoutMs: 60_000, signal: new AbortController().signal };

async function check(name: string, version: string): Promise<string> {
  const described = await workers.describe({ name, version }, options);
  if (described === undefined) throw new Error('is not allowed');
  const slug = name.replace(/^.*piece-/, '');
  const { connector, skipped } = importPiece(described, { kind: 'piece', slug, package: name, version });
  const { [name]: given } = CASES;
  if (given === undefined) throw new Error('has no case');
  const method = connector.authenticationMethods.find(
    ({ authenticationId }) => authenticationId === given.method,
  );
  if (method === undefined) throw new Error(`has no sign-in ${String(given.method)}`);
  answer = given.answer;
  requests.length = 0;
  const { action, props, fields } = given;
  const output = await workers.callAction({
    ...options,
    connector,
    method,
    credential: { version: 1, fields, secrets: [] },
    fields: { package: name, version, action, props },
    filters: [],
    sorts: [],
    maxOutputBytes: 1024 * 1024,
  });
  const [request] = requests;
  const sent = `${request?.method ?? ''} ${request?.url.split('?')[0] ?? ''}`;
  if (sent !== given.request) throw new Error(`sends ${sent}, not ${given.request}`);
  if (request?.headers?.['authorization'] !== given.authorization)
    throw new Error('sends another credential');
  const text = JSON.stringify(output);
  if (!text.includes(given.output)) throw new Error(`returns ${text.slice(0, 300)}`);
  return `${String(connector.tools.length)} tools, ${String(skipped.length)} parts skipped`;
}

try {
  for (const { package: name, version } of pinned) {
    try {
      process.stdout.write(`${name} ${version}: ${await check(name, version)}\n`);
    } catch (error) {
      process.stderr.write(`${name} ${version} ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await workers.close();
}
