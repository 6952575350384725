import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../bench/child.ts';
import { median, quantile } from '../bench/statistics.ts';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { asOther, expectList, get, post, stack } from '../contract/support/api.ts';
import type { CallOptions } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import { startBystander } from './support/bystander.ts';
import { areFiguresMeasured } from './support/figures.ts';
import { othersServedDuring } from './support/observe.ts';

const KIB = 1024;
const OUTPUT_BYTES = 250 * KIB;
/** Longest text of a plain field: its JSON has 16 KiB. */
const FIELD_BYTES = 16 * KIB - 2;
const RECORDS = 100;
const CALLERS = 8;
const ROUNDS = 5;
const ROUND_MS = 4_000;
const PAUSE_MS = 20;
/** Maximum factor by which another account's p95 may increase. */
const MAX_RATIO = 4;
const FILL_MS = 300_000;

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = await connectionTo(await serve({ text: 'x'.repeat(OUTPUT_BYTES) }), account);
});
afterAll(() => removeAccount(account));

/** A vendor that answers every request with this body. */
async function serve(body: object): Promise<string> {
  const json = JSON.stringify(body);
  const vendor = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(json);
  }).listen(0, '127.0.0.1');
  vendor.unref();
  await once(vendor, 'listening');
  const { port } = vendor.address() as AddressInfo; // a listening TCP server has an address of this type
  return `http://127.0.0.1:${port}`;
}

async function connectionTo(baseUrl: string, by: CallOptions, more = {}, fields = {}): Promise<number> {
  const sent = {
    applicationSlug: 'http',
    connectionName: 'Large',
    authenticationId: 1,
    fields: { baseUrl, apiKey: 'k', ...fields },
    ...more,
  };
  return Number(expectStatus(await post('/v1/connections', sent, by), 201).body.id);
}

const executionOf = (id: number, more = ''): string =>
  `/v1/tools/http-send-request/execute?connectionId=${id}${more}`;

async function createRecord(path: string, body: object): Promise<void> {
  expectStatus(await post(path, body, account), 201);
}

/** A list whose records have the largest allowed texts. */
interface LargeList {
  readonly path: string;
  readonly bytes: number;
  readonly create: (text: string) => Promise<unknown>;
  /** The text of a record; undefined: not a record of the list. */
  readonly textOf: (record: any) => unknown; // any shape: the test asserts the text
}

const sent = (text: string) => ({ fields: { url: '/', method: 'POST', body: text } });
let approvedToolset: string | undefined;

const LISTS: readonly LargeList[] = [
  {
    path: '/v1/workflows',
    bytes: 250 * KIB,
    create: (text) =>
      createRecord('/v1/workflows', {
        name: 'Large',
        slug: `large-${text.slice(0, 2).trim()}`,
        steps: [{ id: 'one', toolSlug: 'http-send-request', fields: { url: '/', body: text } }],
      }),
    textOf: ({ steps }) => steps[0].fields.body,
  },
  {
    path: '/v1/toolsets',
    bytes: 63 * KIB,
    create: (text) =>
      createRecord('/v1/toolsets', {
        name: 'Large',
        connections: [{ connectionId }],
        policy: { fixedFields: { 'http-send-request': { body: text } } },
      }),
    textOf: ({ policy }) => policy.fixedFields['http-send-request'].body,
  },
  {
    path: '/v1/executions',
    bytes: 60 * KIB,
    async create(text) {
      const ran = await post(executionOf(connectionId), sent(text), account);
      expect(expectStatus(ran, 200).body.isSuccess).toBe(true);
    },
    textOf: ({ fields, output }) => output.body.text.length === OUTPUT_BYTES && fields.body,
  },
  {
    path: '/v1/approvals',
    bytes: 240 * KIB,
    async create(text) {
      const path = executionOf(connectionId, `&toolsetId=${await toolsetWithApprovals()}`);
      expectStatus(await post(path, sent(text), account), 409);
    },
    textOf: ({ fields }) => fields.body,
  },
  {
    path: '/v1/triggers',
    bytes: 63 * KIB,
    create: (text) =>
      createRecord('/v1/triggers', {
        name: 'Large',
        triggerTypeSlug: 'schedule',
        configuration: { everySeconds: 86_400, note: text },
      }),
    textOf: ({ configuration }) => configuration.note,
  },
  {
    path: '/v1/connections',
    bytes: 16 * KIB - '{"text":""}'.length,
    create: (text) =>
      connectionTo(
        'http://127.0.0.1:9/'.padEnd(FIELD_BYTES, 'x'),
        account,
        { metadata: { text }, description: '🙂'.repeat(2_000) },
        { headerName: 'x'.repeat(FIELD_BYTES) },
      ),
    textOf: ({ metadata, fields: { baseUrl, headerName } }) =>
      baseUrl.length === FIELD_BYTES && headerName.length === FIELD_BYTES && metadata.text,
  },
];

async function toolsetWithApprovals(): Promise<string> {
  if (approvedToolset === undefined) {
    const policy = { requireApproval: ['http-send-request'] };
    const toolset = { name: 'Approved', connections: [{ connectionId }], policy };
    approvedToolset = String(expectStatus(await post('/v1/toolsets', toolset, account), 201).body.id);
  }
  return approvedToolset;
}

/** Creates the records of a list; returns their texts, newest first. */
async function fill({ create, bytes }: LargeList): Promise<readonly string[]> {
  const texts: string[] = [];
  while (texts.length < RECORDS) {
    const text = String(texts.length).padEnd(bytes, 'x');
    await create(text);
    texts.unshift(text);
  }
  return texts;
}

it.each(LISTS)(
  '8 callers of $path get whole pages of 100 of the largest records, while another account is served',
  async (list) => {
    const texts = await fill(list);
    const bystander = await startBystander();
    onTestFinished(() => bystander.stop());
    const answers = await othersServedDuring(bystander, () =>
      Promise.all(Array.from({ length: CALLERS }, () => get(`${list.path}?top=${RECORDS}`, account))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    for (const { items, totalCount } of answers.map(expectList)) {
      expect(totalCount).toBeGreaterThanOrEqual(RECORDS);
      expect(items).toHaveLength(RECORDS);
      // Not compared by expect, which would print megabytes.
      expect(items.flatMap((item, at) => (list.textOf(item) === texts[at] ? [] : at))).toEqual([]);
    }
  },
  FILL_MS,
);

it.runIf(areFiguresMeasured)(
  'while 8 callers read pages of the largest records, p95 of another account’s executions is below four times its own',
  async () => {
    const url = await serve({ isHonest: true });
    const path = executionOf(await connectionTo(url, asOther));
    const generator = await startChild('page-reader', { args: [] });
    onTestFinished(() => generator.stop());
    const measure = async (): Promise<number> => {
      const tookMs: number[] = [];
      const end = performance.now() + ROUND_MS;
      for (let now = performance.now(); now < end; now = performance.now()) {
        expectStatus(await post(path, { fields: { url: '/' } }, asOther), 200);
        tookMs.push(performance.now() - now);
        await delay(PAUSE_MS);
      }
      return quantile(tookMs, 0.95);
    };
    await measure();
    const tooSlow: string[] = [];
    for (const list of LISTS) {
      const rounds: { readonly calm: number; readonly flooded: number; readonly pages: number }[] = [];
      while (rounds.length < ROUNDS) {
        const calm = await measure();
        const [{ calls, failures }, flooded] = await Promise.all([
          generator.request({
            url: `${stack.baseUrl}${list.path}?top=${RECORDS}`,
            headers: { 'x-api-key': account.apiKey },
            callers: CALLERS,
            durationMs: ROUND_MS,
          }),
          measure(),
        ]);
        expect(failures).toBe(0);
        rounds.push({ calm, flooded, pages: calls });
      }
      const ratio = median(rounds.map(({ calm, flooded }) => flooded / calm));
      const [calm, flooded, pages] = (['calm', 'flooded', 'pages'] as const).map((name) =>
        median(rounds.map((round) => round[name])).toFixed(1),
      );
      console.log(
        `${list.path}: p95 ${calm} ms, flooded ${flooded} ms: ${ratio.toFixed(1)} x; ${pages} pages`,
      );
      if (ratio >= MAX_RATIO) tooSlow.push(list.path);
    }
    expect(tooSlow).toEqual([]);
  },
  1_200_000,
);
