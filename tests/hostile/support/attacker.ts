import { randomUUID } from 'node:crypto';
import type { Account } from '../../bench/accounts.ts';
import type { DevStack } from '../../setup/dev-stack.ts';
import type { Attack, ToolCall } from './peer.ts';

/** An attacking account, for scripts. */
export interface Attacker {
  /** Connects to a peer; returns the connection's id. Throws if refused. */
  connect(peer: Pick<Attack, 'connection' | 'connected'>): Promise<number>;
  /** Creates a trigger with an inbound address, with this filter if any; returns the address's path. Throws if refused. */
  openHook(filter?: string): Promise<string>;
  /** Calls an address; returns the response's status, 0 without a response. */
  callHook(path: string, body: string): Promise<number>;
  /** Calls a tool with that connection; returns the response's status, 0 without a response. */
  execute(connectionId: number, call: ToolCall): Promise<number>;
}

/** Calls a stack's API as an account, by default its first. */
export function createAttacker(
  { baseUrl, account: first }: DevStack,
  account: Pick<Account, 'apiKey'> = first,
): Attacker {
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(new URL(path, baseUrl), {
      method: 'POST',
      headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    async connect({ connection, connected }) {
      const answer = await post('/v1/connections', {
        connectionName: `Hostile ${randomUUID()}`,
        ...connection,
      });
      if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`);
      connected?.();
      return ((await answer.json()) as { id: number }).id; // the contract's Connection
    },
    async openHook(filter) {
      const answer = await post('/v1/triggers', { name: 'Hostile', triggerTypeSlug: 'http_webhook', filter });
      if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${await answer.text()}`);
      const { inboundUrl } = (await answer.json()) as { inboundUrl: string }; // the contract's Trigger
      return new URL(inboundUrl).pathname;
    },
    callHook: (path, body) => statusOf(fetch(new URL(path, baseUrl), { method: 'POST', body })),
    execute: (connectionId, { toolSlug, fields }) =>
      statusOf(post(`/v1/tools/${toolSlug}/execute?connectionId=${connectionId}`, { fields })),
  };
}

async function statusOf(calling: Promise<Response>): Promise<number> {
  try {
    const answer = await calling;
    await answer.text();
    return answer.status;
  } catch {
    return 0;
  }
}
