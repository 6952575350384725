// `npm run bench -- keeper`: starts its own stack, makes 10 000 grants of one vendor due at once, and measures the rate of requests to that
// vendor, and the latency of executions at another vendor beside the same run's without due grants.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import type { DevStack } from '../setup/dev-stack.ts';
import { startStack } from '../setup/start-stack.ts';
import { startChild } from './child.ts';
import type { LoopResult } from './closed-loop.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    grants: { type: 'string', default: '10000' },
    callers: { type: 'string', default: '4' },
  },
});
const durationMs = Number(values.seconds) * 1_000;

/** Maximum requests per second to a vendor, and maximum factor for the p99 of calls to another. */
const MAX_PER_SECOND = 10;
const MAX_RATIO = 2;
/** Low, because all imports write to the same counters of the account. */
const IMPORTS_AT_ONCE = 4;
const DAY_MS = 86_400_000;
const FURTHER_CONNECTORS = fileURLToPath(new URL('../contract/connectors', import.meta.url));

interface Vendor {
  readonly url: string;
  /** Times of its token requests, in milliseconds of this process. */
  readonly askedAt: readonly number[];
  close(): void;
}

/** A vendor that renews every grant. */
async function startVendor(): Promise<Vendor> {
  const askedAt: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    askedAt.push(performance.now());
    const granted = {
      access_token: randomBytes(24).toString('base64url'),
      refresh_token: randomBytes(24).toString('base64url'),
      token_type: 'Bearer',
      expires_in: 3600,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(granted));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this kind.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, askedAt, close };
}

/** POSTs as an account; throws unless it succeeds. */
async function post({ baseUrl }: DevStack, apiKey: string, path: string, body: object): Promise<number> {
  const response = await fetch(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  // The contract defines this member.
  return (JSON.parse(text) as { readonly id: number }).id;
}

/** Imports grants of the vendor for the account, with an auth provider that has the vendor's address. */
async function importGrants(stack: DevStack, vendor: Vendor, count: number): Promise<void> {
  const { apiKey } = stack.account;
  const method = { applicationSlug: 'hosted-crm', authenticationId: 0 };
  const slots = { BaseUrl: vendor.url, Key1: 'client-of-the-bench', Key2: 'secret-of-the-bench' };
  const authProviderId = await post(stack, apiKey, '/v1/auth-providers', {
    name: `Bench ${randomBytes(4).toString('hex')}`,
    ...method,
    values: slots,
  });
  let left = count;
  const importSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await post(stack, apiKey, '/admin/v1/connections/import', {
        ...method,
        connectionName: `Grant ${left}`,
        authProviderId,
        accessToken: randomBytes(24).toString('base64url'),
        refreshToken: randomBytes(24).toString('base64url'),
      });
    }
  };
  await Promise.all(Array.from({ length: IMPORTS_AT_ONCE }, importSome));
}

const { stack, stop } = await startStack({ env: { FURTHER_CONNECTORS } });
const client = await MongoClient.connect(stack.mongodbUri);
const vendor = await startVendor();
const generator = await startChild('load-generator', { args: [] });
try {
  const count = Number(values.grants);
  await importGrants(stack, vendor, count);
  console.log(`${count} grants were imported.`);
  const connections = client.db('fairlead_connections').collection('connections');
  const partition = new URL(vendor.url).host;
  /** Makes all not yet renewed grants due, or postpones the due ones. */
  const schedule = async (isDue: boolean): Promise<number> => {
    const at = new Date(Date.now() + (isDue ? 0 : DAY_MS));
    const waiting = { 'credential.renewal.lane': partition, 'credential.renewal.claim': null };
    const filter = isDue
      ? { ...waiting, 'credential.version': 1 }
      : { ...waiting, 'credential.renewal.at': { $lte: new Date() } };
    return (await connections.updateMany(filter, { $set: { 'credential.renewal.at': at } })).modifiedCount;
  };
  const quiet = stack.otherAccount.apiKey;
  const crm = await post(stack, quiet, '/v1/connections', {
    applicationSlug: 'sandbox-crm',
    connectionName: 'CRM',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  });
  const executions = (): Promise<LoopResult> =>
    generator.request({
      url: `${stack.baseUrl}/v1/tools/sandbox-crm-whoami/execute?connectionId=${crm}`,
      headers: { 'x-api-key': quiet },
      body: '{}',
      callers: Number(values.callers),
      durationMs,
    });

  await executions();
  const ratios: number[] = [];
  let [isTooOften, isNever] = [false, false];
  let failures = 0;
  const rows: string[][] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    await schedule(false);
    const alone = await executions();
    const due = await schedule(true);
    const [from, first] = [performance.now(), vendor.askedAt.length];
    const beside = await executions();
    const asked = vendor.askedAt.slice(first);
    const elapsed = (performance.now() - from) / 1_000;
    // The first one may be requested at once.
    isTooOften ||= asked.length > MAX_PER_SECOND * elapsed + 1;
    isNever ||= asked.length === 0;
    const seconds = Map.groupBy(asked, (at) => Math.floor((at - from) / 1_000));
    const most = Math.max(0, ...[...seconds.values()].map(({ length }) => length));
    ratios.push(beside.p99Ms / alone.p99Ms);
    failures += alone.failures + beside.failures;
    rows.push(
      [
        round,
        due,
        (asked.length / elapsed).toFixed(1),
        most,
        alone.p50Ms.toFixed(1),
        beside.p50Ms.toFixed(1),
        alone.p99Ms.toFixed(1),
        beside.p99Ms.toFixed(1),
        (ratios.at(-1) ?? 0).toFixed(2),
      ].map(String),
    );
  }
  const head = ['round', 'due', 'asked/s', 'most in 1 s', 'p50 ms', 'beside', 'p99 ms', 'beside', 'ratio'];
  console.log(table(head, rows));
  const ratio = median(ratios);
  console.log(
    `\nThe vendor was${isTooOften ? '' : ' not'} asked more than ${MAX_PER_SECOND} times a second${isNever ? ', and in some round not at all' : ''}. ` +
      `p99 at another vendor beside it / alone, median of ${values.rounds} rounds: ${ratio.toFixed(2)} (must be below ${MAX_RATIO}). ` +
      `${failures} calls failed.`,
  );
  if (isTooOften || isNever || ratio >= MAX_RATIO || failures > 0) process.exitCode = 1;
} finally {
  await generator.stop();
  vendor.close();
  await client.close();
  await stop();
}
