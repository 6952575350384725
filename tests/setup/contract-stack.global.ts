import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { findLeaks } from '../contract/support/canary.ts';
import { undeclaredSealing } from '../contract/support/undeclared-sealing.ts';
import { listenToMessages } from '../observability/support/messages.ts';
import { WITH_CANARY } from './canary-rules.ts';
import { givenOrStartedStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the stack's data and logs. */
    data: string;
  }
}

/** A stack for the contract tests, and its recorded evidence. */
interface ContractStack {
  readonly provided: Pick<ProvidedContext, 'stack' | 'data' | 'exchanges'>;
  readonly close: () => Promise<void>;
}

/**
 * The stack for the contract tests, shared by both of their projects. Every exchange with it is recorded. At the end, the run fails if any
 * secret is in a log, metric, message, document or response (except the one that issues it), or if an undeclared place contains a sealed
 * value.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const shared = sharedStack();
  shared.users += 1;
  const { provided, close } = await (shared.opening ??= openStack());
  project.provide('stack', provided.stack);
  project.provide('data', provided.data);
  project.provide('exchanges', provided.exchanges);
  return async () => {
    shared.users -= 1;
    if (shared.users === 0) await close();
  };
}

/** The stack, stored on the process: each project evaluates this module separately, so a variable would not be shared. */
function sharedStack(): { users: number; opening: Promise<ContractStack> | undefined } {
  const key = Symbol.for('fairlead.tests.contract-stack');
  // Only this module uses the key.
  const holder = globalThis as { [key]?: ReturnType<typeof sharedStack> };
  return (holder[key] ??= { users: 0, opening: undefined });
}

/** Connectors with forms that no shipped one has, an own client that one of them requires, and a release of the agent. */
const FURTHER = {
  FURTHER_CONNECTORS: fileURLToPath(new URL('../contract/connectors', import.meta.url)),
  // A piece and an MCP server, which the operator of the tests allows.
  PACKAGES_PATH: fileURLToPath(new URL('../contract/packages', import.meta.url)),
  // An installer for one platform only.
  AGENT_RELEASES: fileURLToPath(new URL('../contract/agent-release', import.meta.url)),
  CONNECTOR_OAUTH_CLIENTS: JSON.stringify({
    'hosted-crm': { 0: { clientId: 'the-installation', clientSecret: 'kept-by-the-operator' } },
  }),
};

async function openStack(): Promise<ContractStack> {
  const { stack, data, stop } = await givenOrStartedStack({
    env: { LOG_LEVEL: 'debug', ...FURTHER, ...WITH_CANARY },
  });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-test-exchanges-'));
  const exchanges = join(folder, 'exchanges.jsonl');
  // Deleted, because it contains secrets.
  await writeFile(exchanges, '', { mode: 0o600 });
  const listener = await listenToMessages(stack.natsUrl);
  const search = async (): Promise<void> => {
    const { secrets, bytes, leaks } = await findLeaks({
      stack,
      data,
      exchanges,
      messages: listener.heard(),
    });
    await listener.close();
    if (leaks.length > 0) throw new Error(`Secrets leaked:\n${leaks.join('\n')}`);
    const undeclared = await undeclaredSealing(stack);
    if (undeclared.length > 0) throw new Error(`Sealed values are not declared:\n${undeclared.join('\n')}`);
    console.log(`Of ${secrets} secrets none was found in ${(bytes / 1_000_000).toFixed(1)} MB of traces.`);
  };
  return {
    provided: { stack, data, exchanges },
    async close() {
      try {
        await search();
      } finally {
        await rm(folder, { recursive: true, force: true });
        await stop();
      }
    },
  };
}
