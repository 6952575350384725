import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { startCallers } from '../../faults/support/load.ts';
import type { Load, LoadRoute, Outcome, Steps } from '../../faults/support/load.ts';
import { DATA_DEADLINE_MS, executeRoute, prepareConnection } from '../../faults/support/traffic.ts';
import type { Account } from './canaries.ts';
import type { Target } from './traffic.ts';

const PAUSE_MS = 150;
const WRITTEN = 'PUT /v1/connections/…';
const READ = 'GET /v1/connections/…';
const LISTED = 'GET /v1/connections';
const EXECUTED = 'POST …/execute';

const record = z.object({ connectionName: z.string() });
const list = z.object({ items: z.array(z.object({ id: z.int(), connectionName: z.string() })) });
const result = z.object({ isSuccess: z.boolean(), output: z.unknown() });

/** A load that checks each response. */
export interface Writers extends Load {
  /** One line per wrong response. */
  readonly wrong: readonly string[];
}

/**
 * Starts a caller per account. It writes its connection's name, reads it back, alone and in the list, and executes a tool whose output is
 * always the same.
 */
export async function startWriters(target: Target, accounts: readonly Account[]): Promise<Writers> {
  const wrong: string[] = [];
  const callers: Steps[] = [];
  for (const account of accounts) {
    const id = await prepareConnection({ ...target, account });
    callers.push(writer(account, id, (line) => wrong.push(`${account.accountId}: ${line}`)));
  }
  const kinds = [WRITTEN, READ, LISTED, EXECUTED];
  return {
    ...startCallers({ baseUrl: target.baseUrl, callers, kinds, pauseMs: PAUSE_MS }),
    wrong,
  };
}

function writer({ apiKey, accountId }: Account, id: number, say: (line: string) => void): Steps {
  const headers = { 'x-api-key': apiKey };
  const path = `/v1/connections/${String(id)}`;
  const get = (name: string, at: string): LoadRoute => ({
    name,
    method: 'GET',
    path: at,
    headers,
    deadlineMs: DATA_DEADLINE_MS,
  });
  const execute = { ...executeRoute(id), headers };
  /** Describes an unexpected response; a refusal is a failed call, not a wrong response. */
  const check = (
    { route, status, body }: Outcome,
    seen: (body: unknown) => unknown,
    expected: unknown,
  ): void => {
    if (status !== 200) return;
    const found = seen(body);
    if (!isDeepStrictEqual(found, expected))
      say(`${route.name}: ${JSON.stringify(found)} in place of ${JSON.stringify(expected)}`);
  };
  let turn = 0;
  let output: unknown;
  return async (send) => {
    const connectionName = `${accountId} ${String(turn++)}`;
    const body = { connectionName };
    const name = (answer: unknown): string => record.parse(answer).connectionName;
    const nameInList = (answer: unknown): string | undefined =>
      list.parse(answer).items.find((item) => item.id === id)?.connectionName;
    const written = await send({ ...get(WRITTEN, path), method: 'PUT', body });
    // After a failed write it is unknown whether it was made.
    if (written.status === 200) {
      check(written, name, connectionName);
      check(await send(get(READ, path)), name, connectionName);
      check(await send(get(LISTED, '/v1/connections')), nameInList, connectionName);
    }
    const executed = await send(execute);
    if (executed.status !== 200) return;
    const { isSuccess, output: given } = result.parse(executed.body);
    output ??= given;
    if (!isSuccess || !isDeepStrictEqual(given, output)) say(`${EXECUTED}: ${JSON.stringify(executed.body)}`);
  };
}
